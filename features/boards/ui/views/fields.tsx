/** Cells of an item in short, as cards and bars show them. */
import { Icon } from '@shell/components';
import { calledOf, FORMER, type Member } from '@shell/members';
import { isList, type CellValue, type Column } from '../data';
import { show, showFull } from '../format';
import { LabelPill } from '../LabelPill';

const PEOPLE_MAX = 3;
const TAGS_MAX = 4;

/** Default columns on a card: people, date, and tags. */
export function defaultFields(columns: readonly Column[], but: string | undefined): Column[] {
  const first = (type: Column['type']) => columns.find((column) => column.type === type && column.id !== but);
  return (['tags', 'date', 'people'] as const).flatMap((type) => first(type) ?? []);
}

interface CardFieldProps {
  column: Column;
  value: CellValue;
  members: readonly Member[];
  /** Whether a day says of which column it is: the board has several. */
  isNamed?: boolean;
}

/** One cell; nothing where it is empty. */
export function CardField({ column, value, members, isNamed }: CardFieldProps) {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return null;
  if (column.type === 'people' && isList(value)) {
    const names = value.map((id) => calledOf(id, members));
    return (
      <span className="card-people" title={`${column.title}: ${names.join(', ')}`}>
        <span className="sr-only">{`${column.title}: ${names.join(', ')}`}</span>
        {value.slice(0, PEOPLE_MAX).map((id, at) => (
          <span key={at} className="card-person" aria-hidden="true">
            {initials(members.find((member) => member.id === id)?.name ?? FORMER)}
          </span>
        ))}
        {names.length > PEOPLE_MAX && (
          <span className="card-person" aria-hidden="true">
            +{names.length - PEOPLE_MAX}
          </span>
        )}
      </span>
    );
  }
  if (column.type === 'tags' && isList(value)) {
    return (
      <span className="card-tags" title={column.title}>
        {value.slice(0, TAGS_MAX).map((tag) => (
          <span key={tag} className="card-tag">
            {tag}
          </span>
        ))}
        {value.length > TAGS_MAX && <span className="card-tag">+{value.length - TAGS_MAX}</span>}
      </span>
    );
  }
  if (column.type === 'status' || column.type === 'dropdown') {
    const label = column.settings.labels?.find((one) => one.id === value);
    return label ? (
      <span className="card-text" title={column.title}>
        <LabelPill label={label} />
      </span>
    ) : null;
  }
  if (column.type === 'number' && typeof value === 'number') {
    const text = show(value, column, members);
    return (
      <span className="card-tag" title={`${column.title}: ${showFull(value, column, members)}`}>
        <span className="sr-only">{`${column.title}: `}</span>
        {text}
      </span>
    );
  }
  const text = column.type === 'checkbox' ? (value === true ? column.title : '') : show(value, column, members);
  if (text === '') return null;
  return (
    <span
      className="card-text"
      title={`${column.title}: ${typeof value === 'number' ? showFull(value, column, members) : text}`}
    >
      {column.type === 'date' && <Icon name="calendar" size={12} />}
      {isNamed && <span className="card-of">{column.title}</span>}
      {column.type === 'checkbox' && <Icon name="check" size={12} />}
      <span className="grid-text">{text}</span>
    </span>
  );
}

/** Two-letter initials of a name. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letter = (word: string | undefined) => [...(word ?? '')][0]?.toUpperCase() ?? '';
  return letter(words[0]) + (words.length > 1 ? letter(words.at(-1)) : '');
}
