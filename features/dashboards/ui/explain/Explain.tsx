import type { ReactNode } from 'react';
import { Dialog } from '@shell/components';
import type { BoardInfo } from '../boards';
import type { WidgetAnswer } from '../engine';
import { rulesSaid } from '../export/InForce';
import { subjectOf } from '../filter/subject';
import type { Widget } from '../model';
import { configured, type WidgetKind } from '../widgets/kind';
import { choosingRules, counted, metRules, ownRules, reasonLines, ruleLines, skippedLines } from '../words';

const Part = ({ title, lines }: { title: string; lines: readonly ReactNode[] }) =>
  lines.length ? (
    <section className="explain-part">
      <h3>{title}</h3>
      <ul>
        {lines.map((line, at) => (
          <li key={at}>{line}</li>
        ))}
      </ul>
    </section>
  ) : null;

/** How a widget's values are calculated, from which data, and what they leave out. `filters` are the query's, `inForce` the same as text. */
export function Explain(props: {
  widget: Widget;
  title: string;
  kind: WidgetKind;
  answer: WidgetAnswer | undefined;
  boards: readonly BoardInfo[];
  filters: { all: readonly unknown[] };
  inForce: readonly string[];
  members: ReadonlyMap<string, string>;
  onClose: () => void;
}) {
  const { widget, title, kind, answer, boards, filters, inForce, members, onClose } = props;
  const now = configured(widget, answer);
  const coverage = answer?.coverage;
  const reasons = answer ? reasonLines(answer.reasons) : [];
  const subject = subjectOf(boards);
  const said = (rules: readonly unknown[]) => rulesSaid(rules, { subject, members, inert: [] });
  return (
    <Dialog isOpen onClose={onClose} title={`How ${title} is calculated`} size="medium">
      <Part
        title="Formula"
        lines={[
          ...kind.explain(now, boards, answer),
          ...said(metRules(now.settings)).map((rule) => `An item matches if: ${rule}.`),
        ]}
      />
      {coverage && (
        <Part
          title="Data used"
          lines={
            kind.readsNoBoards
              ? ['No boards.']
              : [
                  `${coverage.boardsUsed} of ${counted(coverage.boardsTotal, 'board')}`,
                  `${coverage.itemsUsed.toLocaleString()} of ${counted(coverage.itemsTotal, 'item')} used${coverage.itemsSkipped ? `, ${counted(coverage.itemsSkipped, 'matching item')} skipped` : ''}`,
                  ...skippedLines(coverage),
                ]
          }
        />
      )}
      {coverage && !kind.readsNoBoards && (
        <Part
          title="Filters"
          lines={[
            ...inForce.map((filter) => `${filter}.`),
            ...said(choosingRules(now.settings)).map((rule) => `This widget only: ${rule}.`),
            ...ruleLines(coverage, { shared: filters.all, ...ownRules(now.settings) }, subject),
          ]}
        />
      )}
      {now.roles.length > 0 && boards.length > 0 && <Columns {...now} kind={kind} boards={boards} />}
      {answer && <Part title="Items to check" lines={kind.notes?.(answer) ?? []} />}
      <Part title={answer?.approximate ? "Why it's approximate" : 'Limitations'} lines={reasons} />
      {answer?.approximate !== false && <Part title="Unknown without history" lines={kind.unknown ?? []} />}
      <Part title="Good to know" lines={kind.limits ?? []} />
    </Dialog>
  );
}

/** The column that fills each role, by board. */
function Columns({
  roles,
  cols,
  kind,
  boards,
}: ReturnType<typeof configured> & { kind: WidgetKind; boards: readonly BoardInfo[] }) {
  const nameOf = (board: BoardInfo, role: string) =>
    board.columns.filter(({ id }) => cols[role]?.[board.id]?.includes(id)).map(({ title }) => title);
  return (
    <section className="explain-part">
      <h3>Columns</h3>
      <div className="explain-columns" tabIndex={0} role="group" aria-label="Columns of each board">
        <table className="chart-table">
          <thead>
            <tr>
              <th scope="col">Board</th>
              {roles.map(({ name }) => (
                <th key={name} scope="col">
                  {kind.roleNames[name] ?? name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {boards.map((board) => (
              <tr key={board.id}>
                <th scope="row">{board.name}</th>
                {roles.map(({ name, required }) => (
                  <td key={name}>{nameOf(board, name).join(', ') || (required ? 'None (board left out)' : 'None')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
