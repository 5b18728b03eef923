/** Days of the week as check boxes. */
import { DAYS, type Weekday } from '../times';
import { Checkbox } from './fields';

export function WeekdayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: readonly Weekday[];
  onChange: (days: Weekday[]) => void;
}) {
  const toggle = (day: Weekday, isSelected: boolean) =>
    onChange(DAYS.map((one) => one.day).filter((one) => (one === day ? isSelected : value.includes(one))));
  return (
    <fieldset className="weekday-field">
      <legend>{label}</legend>
      {DAYS.map(({ day, label: name, short }) => (
        <Checkbox
          key={day}
          aria-label={name}
          isSelected={value.includes(day)}
          onChange={(isSelected) => toggle(day, isSelected)}
        >
          {short}
        </Checkbox>
      ))}
    </fieldset>
  );
}
