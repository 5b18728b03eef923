import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, login, setSetting, test, type Program } from '../../../e2e/helpers';

// The browser is in Berlin.
const api = (program: Program, method: string, address: string, body?: object) =>
  call(program, method, address, body ? JSON.stringify(body) : null);

/** A local calendar, by its ID. */
const newCalendar = async (program: Program, name = 'Work'): Promise<string> =>
  (await api(program, 'POST', '/calendar/calendars', { name, color: '#5b72d6' })).id;

const newEvent = (program: Program, calendarId: string, title: string, start: string, end: string, more = {}) =>
  api(program, 'POST', '/calendar/events', { calendarId, title, start, end, timeZone: 'Europe/Berlin', ...more });

const entry = (page: Page, name: RegExp) => page.locator('.cal-frame').getByRole('button', { name }).first();
/** Some versions write a comma after the weekday. */
const cell = (page: Page, date: string) =>
  page.getByRole('gridcell', { name: new RegExp(`^${date.replace(' ', ',? ')}$`) });

test.beforeEach(({ program }) => setSetting(program, 'calendarEnabled', true));

test('a calendar from nothing: added, an event created, moved, edited, deleted, and restored by keyboard', async ({
  page,
  program,
}) => {
  await login(page, program, '/calendar?view=month&date=2026-03-04');
  await expect(page.getByText('No calendars')).toBeVisible();
  await expectAccessible(page, 'no calendars');
  await page.keyboard.press('c');
  await page.getByRole('dialog').getByLabel('Name').fill('Work');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('checkbox', { name: 'Work' })).toBeChecked();

  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'New event' });
  await dialog.getByLabel('Title').fill('Review');
  await expectAccessible(page, 'a new event');
  await page.keyboard.press('Enter');
  const review = entry(page, /^Review/);
  await expect(review).toHaveAccessibleName(/09:00 – 10:00/);
  await expectAccessible(page, 'a month');

  await review.focus();
  await page.keyboard.press('Alt+ArrowRight');
  await expect(page.getByText('Event moved')).toBeVisible();
  await expect(cell(page, 'Thursday 5 March 2026').getByRole('button', { name: /^Review/ })).toBeFocused();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(review).toHaveAccessibleName(/09:15 – 10:15/);
  await page.reload();
  await expect(cell(page, 'Thursday 5 March 2026').getByRole('button', { name: /^Review/ })).toHaveAccessibleName(
    /09:15 – 10:15/,
  );

  await review.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Edit event' }).getByLabel('Location').fill('Room 2');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await review.focus();
  await page.keyboard.press('Delete');
  await expect(review).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(review).toBeVisible();

  await page.keyboard.press('a');
  await expect(entry(page, /^Review/)).toContainText('Room 2');
  await expectAccessible(page, 'an agenda');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog').getByText('Move event by 15 minutes')).toBeVisible();
});

test('a series is moved for one event or for all', async ({ page, program }) => {
  const work = await newCalendar(program);
  await newEvent(program, work, 'Stand-up', '2026-03-02T08:00:00Z', '2026-03-02T08:15:00Z', {
    repeat: { frequency: 'daily', interval: 1, count: 3 },
  });
  await login(page, program, '/calendar?view=week&date=2026-03-03');
  await expect(page.locator('.cal-block')).toHaveCount(3);
  await expectAccessible(page, 'a week');
  const tuesday = page
    .locator('.cal-column')
    .nth(1)
    .getByRole('button', { name: /^Stand-up/ });
  await tuesday.focus();
  await page.keyboard.press('Alt+ArrowDown');
  const question = page.getByRole('dialog', { name: 'Move repeating event' });
  await expectAccessible(page, 'the scope of a change');
  await question.getByRole('button', { name: 'This event' }).click();
  await expect(page.getByRole('button', { name: /^Stand-up, 09:15/ })).toHaveCount(1);
  await expect(page.getByRole('button', { name: /^Stand-up, 09:00/ })).toHaveCount(2);
  await page
    .getByRole('button', { name: /^Stand-up, 09:00/ })
    .first()
    .focus();
  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: 'All events' }).click();
  await expect(page.locator('.cal-block')).toHaveCount(0);
});

test('an event is created and moved by dragging over times and days', async ({ page, program }) => {
  await newCalendar(program);
  await login(page, program, '/calendar?view=week&date=2026-03-04');
  const column = page.locator('.cal-column').nth(2);
  const box = (await column.boundingBox())!;
  const y = (hour: number) => box.y + hour * 48 + 2;
  await page.mouse.move(box.x + 20, y(10));
  await page.mouse.down();
  await page.mouse.move(box.x + 20, y(11.5), { steps: 5 });
  await page.mouse.up();
  const dialog = page.getByRole('dialog', { name: 'New event' });
  await expect(dialog.getByLabel('Start time')).toHaveValue('10:00');
  await expect(dialog.getByLabel('End time')).toHaveValue('11:30');
  await dialog.getByLabel('Title').fill('Workshop');
  await page.keyboard.press('Enter');
  const block = page.getByRole('button', { name: /^Workshop, 10:00 – 11:30/ });
  await block.hover();
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 1.5, y(12), { steps: 8 });
  await page.mouse.up();
  await expect(page.getByText('Event moved')).toBeVisible();
  await expect(
    page
      .locator('.cal-column')
      .nth(3)
      .getByRole('button', { name: /^Workshop/ }),
  ).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('both hours are drawn when clocks go back, and the skipped one is not', async ({ page, program }) => {
  const work = await newCalendar(program);
  await newEvent(program, work, 'First', '2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z');
  await newEvent(program, work, 'Second', '2026-10-25T01:30:00Z', '2026-10-25T02:00:00Z');
  await login(page, program, '/calendar?view=day&date=2026-10-25');
  const top = async (name: RegExp) => (await entry(page, name).boundingBox())!.y;
  await expect(entry(page, /^Second/)).toBeVisible();
  expect(Math.round((await top(/^Second/)) - (await top(/^First/)))).toBe(48);
  await page.goto(`${program.url}/app/calendar?view=week&date=2026-03-29`);
  await expect(page.locator('.cal-missing')).toHaveCount(1);
});

test('a file is imported, a calendar hidden, and the page hidden with its setting', async ({ page, program }) => {
  await newCalendar(program);
  await login(page, program, '/calendar?view=month&date=2026-03-04');
  await page.getByRole('button', { name: 'Actions for Work' }).click();
  await page.getByRole('menuitem', { name: 'Import .ics file' }).click();
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//', 'BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20260301T000000Z'],
    ...['DTSTART;VALUE=DATE:20260310', 'DTEND;VALUE=DATE:20260313', 'SUMMARY:Trip', 'END:VEVENT', 'END:VCALENDAR', ''],
  ];
  await page.getByLabel('File to import').setInputFiles({
    name: 'trip.ics',
    mimeType: 'text/calendar',
    buffer: Buffer.from(lines.join('\r\n')),
  });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const trip = entry(page, /^Trip, all day/);
  await expect(trip).toBeVisible();
  const [bar, day] = [(await trip.boundingBox())!, (await cell(page, 'Tuesday 10 March 2026').boundingBox())!];
  expect(Math.round(bar.width / day.width)).toBe(3);
  await page.locator('.cal-side .checkbox').first().click();
  await expect(trip).toBeHidden();
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Work' })).not.toBeChecked();
  await setSetting(program, 'calendarEnabled', false);
  await expect(page.getByRole('link', { name: 'Calendar' })).toBeHidden();
});

test("a board's due date is shown, moved, and hidden with its layer", async ({ page, program }) => {
  await newCalendar(program);
  const { items } = await api(program, 'GET', '/workspaces');
  const board = await api(program, 'POST', '/boards', { workspaceId: items[0].id, name: 'Ship' });
  const due = await api(program, 'POST', `/boards/${board.id}/columns`, { title: 'Due', type: 'date' });
  await api(program, 'POST', `/boards/${board.id}/items`, { name: 'Release', cells: { [due.id]: '2026-03-04' } });
  await login(page, program, '/calendar?view=month&date=2026-03-04');
  await entry(page, /^Release/).focus();
  await page.keyboard.press('Alt+ArrowRight');
  await expect(page.getByText('Due date changed')).toBeVisible();
  await expect(cell(page, 'Thursday 5 March 2026').getByRole('button', { name: /^Release/ })).toBeVisible();
  await page.locator('.cal-layers .switch').first().click();
  await expect(entry(page, /^Release/)).toBeHidden();
});
