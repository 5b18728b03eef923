/** Table: the items themselves with the columns that their boards share. Off the menu: drawn where a config names it. */
import { KINDS } from '@shell/gen/titles';
import { ItemLink } from '../ItemLink';
import { ColumnPicker } from '../ColumnPicker';
import { counted } from '../words';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

/** Characters of a text that stands on one line. */
const SHORT = 12;

const ROLES = { columns: 'Columns' };

function View({ widget, answer }: ViewProps) {
  if (answer.kind !== 'table' || !answer.result) return null;
  const { columns, rows, total } = answer.result;
  return (
    <>
      <div className="chart-frame" tabIndex={0} role="group" aria-label={`${widget.title}, table`}>
        <table className="chart-table">
          <caption className="sr-only">{widget.title}</caption>
          <thead>
            <tr>
              <th scope="col">Item</th>
              {columns.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ boardId, itemId, name, cells }) => (
              <tr key={`${boardId} ${itemId}`}>
                <th scope="row" className="table-item">
                  <ItemLink boardId={boardId} itemId={itemId} name={name} />
                </th>
                {columns.map(({ title }, at) => (
                  <td key={title} data-short={(cells[at]?.text.length ?? 0) <= SHORT || undefined}>
                    {cells[at]?.color ? (
                      <span className="chart-swatched">
                        <span className="chart-swatch" style={{ background: cells[at].color }} aria-hidden="true" />
                        <span>{cells[at].text}</span>
                      </span>
                    ) : (
                      cells[at]?.text
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total > rows.length && (
        <p className="chart-note">{`${rows.length.toLocaleString()} of ${counted(total, 'item')}`}</p>
      )}
    </>
  );
}

const Editor = (props: EditorProps) => <ColumnPicker role="columns" label={ROLES.columns} several {...props} />;

const kind: WidgetKind = {
  kind: 'table',
  label: 'Table',
  detail: 'Items in a table',
  icon: 'board',
  order: 70,
  isOffMenu: true,
  size: { w: 12, h: 8 },
  min: { w: 4, h: 4 },
  create: () => ({}),
  describe: () => KINDS.table,
  roleNames: ROLES,
  explain: () => [
    'Shows the items of all boards that match the filters. Columns with the same name and type are combined.',
  ],
  Editor,
  View,
};

export default kind;
