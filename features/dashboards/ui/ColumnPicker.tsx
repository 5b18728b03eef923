import { Select } from '@shell/components';
import { chooseColumn } from './mapping';
import type { EditorProps } from './widgets/kind';

const NONE = '';
/** Why a mirror cannot be chosen. */
const GONE = 'What it mirrors is not there any more';

/** Which column of each board plays a role: found by the engine, and changed here. Nothing where the role is not played. */
export function ColumnPicker({ role: name, label, settings, roles, cols, onChange, boards }: EditorProps & { role: string; label: string }) {
  const role = roles.find((one) => one.name === name);
  if (!role) return null;
  return (
    <fieldset className="mapping">
      <legend className="field-label">{label}</legend>
      {boards.map((board) => {
        const columns = board.columns.filter((column) => role.types.includes(column.type));
        // What such a mirror would show is not known.
        const lost = board.columns.filter((column) => column.type === 'mirror');
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
                  { value: NONE, label: 'None of this board' },
                  ...lost.map((column) => ({ value: column.id, label: column.title, description: GONE, isDisabled: true })),
                ]}
                value={cols[name]?.[board.id]?.[0] ?? NONE}
                onChange={(id) => onChange(chooseColumn(settings, name, board.id, id === NONE ? null : id))}
              />
            ) : (
              <span className="mapping-none">{lost.length > 0 ? `No column of this type. ${lost.map((column) => column.title).join(', ')}: ${GONE.toLowerCase()}.` : 'No column of this type'}</span>
            )}
          </div>
        );
      })}
    </fieldset>
  );
}
