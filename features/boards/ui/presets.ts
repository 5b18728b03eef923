/** Presets of new boards, and what to do after creating one. */
import { useQuery } from '@tanstack/react-query';
import { client, type Exact, type Schemas } from '@shell/client';
import { DAY_MS, isoDate } from '@shell/dates';
import { change } from './changes';
import type { CellValue, Group, PresetName } from './data';

/** A preset as the program lists it. */
export type Preset = Exact<Schemas['PresetRecord'], { preset: PresetName }>;

/** One group and nothing else; the program knows it by this word and does not list it. */
export const BLANK: Preset = {
  preset: 'blank',
  name: 'Blank',
  like: 'One group and no columns.',
  groups: ['Items'],
  columns: [],
  views: [],
};

/** Every preset, in the order of the setting. */
export const usePresets = () =>
  useQuery({
    queryKey: ['board-presets'],
    staleTime: Infinity,
    queryFn: ({ signal }) => client.get('/boards/presets', { signal }).then((list) => list.items as Preset[]),
  });

/** A board as it was made, as far as items are put on it. */
type Made = Pick<Schemas['BoardView'], 'id' | 'columns'> & { groups: Group[] };

/** Navigation state for a new board: moves the focus to its title, because the focused element is gone. */
export const MADE = { state: { isMade: true } };

/** Makes a board; its id. */
export const makeBoard = async (workspaceId: string, name: string, preset: PresetName): Promise<string> =>
  (await change.createBoard(workspaceId, name, preset)).id;

/** Lets the next new board begin like this one. */
export const rememberPreset = (preset: PresetName) =>
  client.patch('/settings/{key}', { path: { key: 'pmSetupPreset' }, body: { value: preset } });

/** Name of the board with sample data. */
export const SAMPLE_NAME = 'Sample: a newsletter';

/** Name, group, status, priority, days from today until due, progress. */
const SAMPLE: readonly [string, string, string, string, number, number][] = [
  ['Choose a name', 'Finished', 'Done', 'High', -12, 100],
  ['Write down who it is for', 'Finished', 'Done', 'Medium', -9, 100],
  ['Design the first issue', 'In progress', 'On track', 'High', 2, 60],
  ['Ask three guests for an interview', 'In progress', 'At risk', 'Critical', 1, 30],
  ['Set up the mailing list', 'In progress', 'On track', 'Medium', 4, 80],
  ['Translate the sign-up page', 'In progress', 'On hold', 'Low', 9, 10],
  ['Send the first issue', 'Planned', 'Planned', 'Critical', 14, 0],
  ['Read the first answers together', 'Planned', 'Planned', 'Medium', 17, 0],
  ['Plan the next three issues', 'Planned', 'Planned', 'Low', 24, 0],
];

/** Sample items for a board from the preset `projects`; values for missing columns are omitted. */
export function sampleItems(board: Made, today: Date) {
  const column = (title: string) => board.columns.find((one) => one.title === title);
  const label = (title: string, text: string) =>
    column(title)?.settings.labels?.find((one) => one.text === text)?.id ?? null;
  return SAMPLE.map(([name, group, status, priority, days, progress]) => {
    const values: [string, CellValue][] = [
      ['Status', label('Status', status)],
      ['Priority', label('Priority', priority)],
      ['Due', isoDate(today.getTime() + days * DAY_MS)],
      ['Progress', progress],
    ];
    const cells = Object.fromEntries(
      values.flatMap(([title, value]) => (column(title) && value !== null ? [[column(title)!.id, value]] : [])),
    );
    const groupId = board.groups.find((one) => one.name === group)?.id;
    return groupId ? { name, groupId, cells } : { name, cells };
  });
}

/** Makes a board with sample data; its id. */
export async function makeSample(workspaceId: string): Promise<string> {
  const board = await change.createBoard(workspaceId, SAMPLE_NAME, 'projects');
  await client.post('/boards/{boardId}/items', {
    path: { boardId: board.id },
    body: { items: sampleItems(board, new Date()) },
  });
  return board.id;
}
