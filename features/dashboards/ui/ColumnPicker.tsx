import { Checkbox, Select } from '@shell/components';
import { chooseColumns } from './mapping';
import type { EditorProps } from './widgets/kind';

const NONE = '';
/** Why a mirror cannot be chosen. */
const GONE = 'The mirrored column was deleted';

/**
 * Which column of each board plays a role: found by the engine, and changed here. Nothing where the role is not played. With
 * `several`, other columns of the board can play it beside the first.
 */
export function ColumnPicker({
  role: name,
  label,
  settings,
  roles,
  cols,
  onChange,
  boards,
  several = false,
}: EditorProps & { role: string; label: string; several?: boolean }) {
  const role = roles.find((one) => one.name === name);
  if (!role) return null;
  return (
    <fieldset className="mapping">
      <legend className="field-label">{label}</legend>
      {boards.map((board) => {
        const columns = board.columns.filter((column) => role.types.includes(column.type));
        // What such a mirror would show is not known.
        const lost = board.columns.filter((column) => column.type === 'mirror');
        const [first, ...more] = (cols[name]?.[board.id] ?? []).filter((id) =>
          columns.some((column) => column.id === id),
        );
        const choose = (ids: string[]) => onChange(chooseColumns(settings, name, board.id, ids));
        const others = several && first !== undefined ? columns.filter(({ id }) => id !== first) : [];
        return (
          <div className="mapping-row" key={board.id}>
            <span className="mapping-board" id={`map-${name}-${board.id}`}>
              {board.name}
            </span>
            {columns.length ? (
              <Select
                aria-labelledby={`map-${name}-${board.id}`}
                options={[
                  ...columns.map((column) => ({ value: column.id, label: column.title })),
                  { value: NONE, label: 'No column' },
                  ...lost.map((column) => ({
                    value: column.id,
                    label: column.title,
                    description: GONE,
                    isDisabled: true,
                  })),
                ]}
                value={first ?? NONE}
                onChange={(id) => choose(id === NONE ? [] : several ? [id, ...more.filter((one) => one !== id)] : [id])}
              />
            ) : (
              <span className="mapping-none">
                {lost.length > 0
                  ? `No column of this type. ${lost.map((column) => column.title).join(', ')}: ${GONE.toLowerCase()}.`
                  : 'No column of this type'}
              </span>
            )}
            {first !== undefined && others.length > 0 && (
              <div className="mapping-more" role="group" aria-label={`Other columns of ${board.name}`}>
                {others.map(({ id, title }) => (
                  <Checkbox
                    key={id}
                    isSelected={more.includes(id)}
                    onChange={(is) => choose([first, ...(is ? [...more, id] : more.filter((one) => one !== id))])}
                  >
                    {title}
                  </Checkbox>
                ))}
              </div>
            )}
          </div>
        );
      })}
    </fieldset>
  );
}
