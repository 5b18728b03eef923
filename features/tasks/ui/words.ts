/** Days and priorities as people read them. */
import { formatDay, dayNumber, weekday } from '@shell/dates';
import { isOverdue, type Task } from './model';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export const PRIORITIES = [
  { value: 1, label: 'Urgent' },
  { value: 2, label: 'High' },
  { value: 3, label: 'Medium' },
  { value: 4, label: 'Normal' },
];

export const priorityLabel = (priority: number) =>
  PRIORITIES.find(({ value }) => value === priority)?.label ?? 'Normal';

/** `Today`, `Tomorrow 09:00`, `Friday`, `Mar 5`. `now` is local: `2026-03-05T09:00`. */
export function dayWords(day: string, now: string): string {
  const [date, time] = [day.slice(0, 10), day.slice(11)];
  const [at, today] = [dayNumber(date), dayNumber(now.slice(0, 10))];
  if (at === null || today === null) return day;
  const away = at - today;
  const words =
    away === 0
      ? 'Today'
      : away === 1
        ? 'Tomorrow'
        : away === -1
          ? 'Yesterday'
          : away > 1 && away < 7
            ? DAYS[weekday(at)]!
            : formatDay(at, {
                month: 'short',
                day: 'numeric',
                ...(date.slice(0, 4) === now.slice(0, 4) ? {} : { year: 'numeric' }),
              });
  return time ? `${words} ${time}` : words;
}

/** The heading of a day in a view. */
export const headWords = (id: string, now: string) => (id === 'overdue' ? 'Overdue' : dayWords(id, now));

/** How a due date looks. */
export const dueTone = (task: Task, now: string): 'bad' | 'accent' | 'neutral' =>
  isOverdue(task, now) ? 'bad' : task.due?.startsWith(now.slice(0, 10)) ? 'accent' : 'neutral';
