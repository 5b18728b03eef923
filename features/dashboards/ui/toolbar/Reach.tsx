/** Which rules reach only some of a widget's boards, for nobody to take a figure for more than it is. */
import { Dialog as AriaDialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button } from '@shell/components';
import type { Coverage, Filters, Rule } from '@shell/engine/types';
import { wellFormed } from '@shell/filters/rules';
import type { BoardInfo } from '../boards';
import { hasPeople, type BoardsSubject } from '../filter/subject';
import type { JsonObject } from '../model';

/** A rule that reaches some boards and others not. */
export interface PartReach {
  /** `Status filter`. */
  what: string;
  reached: string[];
  others: string[];
}

/** All rules that a widget with these settings is asked with, those in groups too: the shared ones, and its own. */
export const rulesOf = (shared: Filters['all'], { rules }: JsonObject): Rule[] => [...shared, ...wellFormed(Array.isArray(rules) ? rules : [])].flatMap((entry) => ('any' in entry ? entry.any : [entry]));

/** What the chip says and lists. `rules` are all that the engine was asked with. */
export function partly(reach: Coverage['reach'], rules: readonly Rule[], subject: BoardsSubject, boards: readonly BoardInfo[]): PartReach[] {
  const parts = reach.flatMap((one): PartReach[] => {
    if (one.boards >= one.of) return [];
    const rule = rules.find(({ id }) => id === one.rule);
    if (one.rule !== 'people' && !rule) return [];
    const has = (board: BoardInfo) => (rule ? subject.reaches(rule, board) : hasPeople(board));
    const what = rule ? `${subject.fieldOf(rule)?.title ?? 'Lost column'} filter` : 'People';
    return [{ what, reached: boards.filter(has).map(({ name }) => name), others: boards.filter((board) => !has(board)).map(({ name }) => name) }];
  });
  // Two rules about one column reach the same boards.
  return parts.filter((part, at) => parts.findIndex(({ what }) => what === part.what) === at);
}

const words = ({ what, reached, others }: PartReach) => `${what} reaches ${reached.length} of ${reached.length + others.length} boards`;

export function Reach({ parts }: { parts: readonly PartReach[] }) {
  const [first] = parts;
  if (!first) return null;
  return (
    <div className="tile-reach">
      <DialogTrigger>
        <Button variant="plain" icon="filter">
          {parts.length === 1 ? words(first) : `${parts.length} filters reach only some boards`}
        </Button>
        <Popover className="popover" placement="bottom start" offset={4}>
          <AriaDialog className="reach" aria-label="Boards that the filters reach">
            {parts.map((part) => (
              <dl key={part.what}>
                {parts.length > 1 && <p>{words(part)}</p>}
                <dt>Filtered</dt>
                <dd>{part.reached.join(', ') || 'No board'}</dd>
                <dt>Without such a column, shown whole</dt>
                <dd>{part.others.join(', ')}</dd>
              </dl>
            ))}
          </AriaDialog>
        </Popover>
      </DialogTrigger>
    </div>
  );
}
