import { Select } from '@shell/components';
import type { BoardInfo } from './boards';
import { chooseColumn, chosenMapping, matched, type Role } from './mapping';
import type { JsonObject } from './model';

const NONE = '';
/** Why a mirror cannot be chosen. */
const GONE = 'What it mirrors is not there any more';

/** Which column of each board plays a role: matched by title, and changed here. */
export function ColumnPicker({ role, settings, onChange, boards }: { role: Role; settings: JsonObject; onChange: (settings: JsonObject) => void; boards: readonly BoardInfo[] }) {
  const mapping = matched(role, boards, chosenMapping(settings, role.name));
  return (
    <fieldset className="mapping">
      <legend className="field-label">{role.label}</legend>
      {boards.map((board) => {
        const columns = board.columns.filter((column) => role.types.includes(column.type));
        // What such a mirror would show is not known.
        const lost = board.columns.filter((column) => column.type === 'mirror');
        return (
          <div className="mapping-row" key={board.id}>
            <span className="mapping-board" id={`map-${role.name}-${board.id}`}>
              {board.name}
            </span>
            {columns.length ? (
              <Select
                aria-labelledby={`map-${role.name}-${board.id}`}
                options={[
                  ...columns.map((column) => ({ value: column.id, label: column.title })),
                  { value: NONE, label: 'None of this board' },
                  ...lost.map((column) => ({ value: column.id, label: column.title, description: GONE, isDisabled: true })),
                ]}
                value={mapping[board.id]?.[0] ?? NONE}
                onChange={(id) => onChange(chooseColumn(settings, role.name, board.id, id === NONE ? null : id))}
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
