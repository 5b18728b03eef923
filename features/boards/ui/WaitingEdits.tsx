/** Says which edits wait for the program, and asks about those that it did not take. */
import { Button } from '@shell/components';
import type { Column, Member } from './data';
import { show } from './format';
import type { Waiting } from './useWaiting';
import './waiting.css';

/** Nothing where nothing waits. */
export function WaitingEdits({ waiting, columns, members }: { waiting: Waiting; columns: readonly Column[]; members: readonly Member[] }) {
  const still = waiting.edits.filter((edit) => !edit.problem).length;
  const troubled = waiting.edits.filter((edit) => edit.problem);
  return (
    <>
      <p role="status" className={still > 0 ? 'waiting' : 'sr-only'}>
        {still > 0 ? `${still} ${still === 1 ? 'change waits' : 'changes wait'} for the connection.` : ''}
      </p>
      {troubled.length > 0 && (
        <section aria-label="Changes that were not saved" className="waiting">
          <ul>
            {troubled.map((edit) => {
              const column = columns.find((one) => one.id === edit.column);
              const text = (value: typeof edit.value) => (column ? show(value, column, members) : value === null ? '' : String(value)) || 'empty';
              const place = `${column?.title ?? 'Name'} of ${edit.name}`;
              const problem = edit.problem;
              return (
                <li key={edit.at}>
                  {problem && 'current' in problem ? (
                    <>
                      <span>
                        {place} was changed elsewhere: it is <b>{text(problem.current)}</b>, you set <b>{text(edit.value)}</b>.
                      </span>
                      <Button onPress={() => waiting.keepMine(edit)} aria-label={`Keep mine, ${place}`}>
                        Keep mine
                      </Button>
                      <Button onPress={() => waiting.discard(edit)} aria-label={`Keep theirs, ${place}`}>
                        Keep theirs
                      </Button>
                    </>
                  ) : (
                    <>
                      <span>
                        {place}: <b>{text(edit.value)}</b> was not saved. {problem && 'refused' in problem ? problem.refused : ''}
                      </span>
                      <Button onPress={() => waiting.discard(edit)} aria-label={`Discard, ${place}`}>
                        Discard
                      </Button>
                    </>
                  )}
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </>
  );
}
