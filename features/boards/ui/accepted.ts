/** Client-side checks of values beyond their type's format; the server decides. */
import { ENTRIES_MAX, LINK_BYTES_MAX, NAME_CHARS_MAX, TEXT_CHARS_MAX } from '@shell/gen/limits';
import { isList, type CellValue, type Column } from './data';

const RATING_MAX_USUAL = 5;
const PROGRESS_MAX = 100;
const PHONE_DIGITS_MIN = 3;

const isLink = (text: string) =>
  /^(https?:\/\/|mailto:)\S+$/.test(text) && new TextEncoder().encode(text).length <= LINK_BYTES_MAX;
const isEmail = (text: string) => /^[^\s,;<>@]+@[^\s,;<>@.][^\s,;<>@]*\.[^\s,;<>@.]+$/.test(text);
const isPhone = (text: string) =>
  /^[\d+()\-./ xX#*]+$/.test(text) && text.replace(/\D/g, '').length >= PHONE_DIGITS_MIN;
const isWithin = (value: CellValue, max: number) => typeof value === 'number' && value >= 0 && value <= max;

/** Why a column does not take a value, as a sentence; `null` where it does. */
export function misfit(value: CellValue, column: Column): string | null {
  if (value === null) return null;
  const takes = (fits: boolean, what: string) => (fits ? null : `${column.title} accepts ${what}.`);
  const text = typeof value === 'string' ? value.trim() : '';
  if (column.id === 'name')
    return [...text].length > NAME_CHARS_MAX ? `A name can have up to ${NAME_CHARS_MAX} characters.` : null;
  switch (column.type) {
    case 'rating': {
      const max = column.settings.max ?? RATING_MAX_USUAL;
      return takes(isWithin(value, max) && Number.isInteger(value), `a whole number from 0 to ${max}`);
    }
    case 'progress':
      return takes(isWithin(value, PROGRESS_MAX), `a number from 0 to ${PROGRESS_MAX}`);
    case 'link':
      return takes(isLink(text), 'a URL that starts with http://, https://, or mailto:');
    case 'email':
      return takes(isEmail(text), 'an email address');
    case 'phone':
      return takes(isPhone(text), 'a phone number');
    case 'tags':
      return takes(
        isList(value) && value.length <= ENTRIES_MAX && value.every((tag) => [...tag].length <= NAME_CHARS_MAX),
        `up to ${ENTRIES_MAX} tags of up to ${NAME_CHARS_MAX} characters`,
      );
    case 'text':
    case 'longText':
      return takes([...text].length <= TEXT_CHARS_MAX, `text of up to ${TEXT_CHARS_MAX.toLocaleString()} characters`);
    default:
      return null;
  }
}

/** A value that was read, unless the column does not take it. */
export function fitting(
  outcome: { value: CellValue } | { refused: string },
  column: Column,
): { value: CellValue } | { refused: string } {
  const refused = 'value' in outcome ? misfit(outcome.value, column) : null;
  return refused === null ? outcome : { refused };
}
