/** Which rules do nothing, or reach only some of a widget's boards, for nobody to take a figure for more than it is. */
import { Dialog as AriaDialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button } from '@shell/components';
import type { Coverage, InertRule } from '@shell/engine/types';
import { whyInert } from '@shell/filters/rules';
import type { BoardInfo } from '../boards';
import { hasPeople, type BoardsSubject } from '../filter/subject';
import { nameOfRule, ruleTold, type AskedRules } from '../words';

/** A rule that reaches some boards and others not. */
export interface PartReach {
  /** `Status filter`. */
  what: string;
  reached: string[];
  others: string[];
}

/** What the chip says and lists. `asked` has the rules of this visit too. */
export function partly(
  reach: Coverage['reach'],
  asked: AskedRules,
  subject: BoardsSubject,
  boards: readonly BoardInfo[],
): PartReach[] {
  const parts = reach.flatMap((one): PartReach[] => {
    if (one.boards >= one.of) return [];
    const rule = ruleTold(asked, { ...one, id: one.rule });
    if (one.rule !== 'people' && !rule) return [];
    const has = (board: BoardInfo) => (rule ? subject.reaches(rule, board) : hasPeople(board));
    const what = rule ? `${nameOfRule(rule, subject) ?? 'Missing column'} filter` : 'People';
    return [
      {
        what,
        reached: boards.filter(has).map(({ name }) => name),
        others: boards.filter((board) => !has(board)).map(({ name }) => name),
      },
    ];
  });
  // Two rules about one column reach the same boards.
  return parts.filter((part, at) => parts.findIndex(({ what }) => what === part.what) === at);
}

/** A rule that is wrong. */
export interface Wrong {
  /** `Status filter`. */
  what: string;
  why: string;
}

/** The rules with which something is wrong, each once. `asked` is that of `partly`. */
export function wrong(inert: readonly InertRule[], asked: AskedRules, subject: BoardsSubject): Wrong[] {
  const told = inert.flatMap((one): Wrong[] => {
    const rule = ruleTold(asked, one);
    const why = whyInert({ id: one.id, value: rule?.value }, [one]);
    return why
      ? [
          {
            what: !rule && one.id === 'people' ? 'People' : `${nameOfRule(rule, subject) ?? 'Missing column'} filter`,
            why,
          },
        ]
      : [];
  });
  return told.filter((one, at) => told.findIndex(({ what, why }) => what === one.what && why === one.why) === at);
}

const words = ({ what, reached, others }: PartReach) =>
  `${what} applies to ${reached.length} of ${reached.length + others.length} boards`;

export function Reach({ parts, faults }: { parts: readonly PartReach[]; faults: readonly Wrong[] }) {
  const each = [
    ...faults.map(({ what, why }) => `${what}: ${why[0]!.toLocaleLowerCase()}${why.slice(1)}`),
    ...parts.map(words),
  ];
  if (each.length === 0) return null;
  return (
    <div className="tile-reach">
      <DialogTrigger>
        <Button variant="plain" icon="filter">
          {each.length === 1
            ? each[0]
            : `${each.length} filters ${faults.length > 0 ? 'have problems' : 'apply to some boards only'}`}
        </Button>
        <Popover className="popover" placement="bottom start" offset={4}>
          <AriaDialog className="reach" aria-label="Boards the filters apply to">
            {faults.map(({ what, why }) => (
              <dl key={`${what} ${why}`}>
                <dt>{what}</dt>
                <dd>{why}</dd>
              </dl>
            ))}
            {parts.map((part) => (
              <dl key={part.what}>
                {each.length > 1 && <p>{words(part)}</p>}
                <dt>With this column</dt>
                <dd>{part.reached.join(', ') || 'No board'}</dd>
                <dt>Without this column</dt>
                <dd>{part.others.join(', ')}</dd>
              </dl>
            ))}
          </AriaDialog>
        </Popover>
      </DialogTrigger>
    </div>
  );
}
