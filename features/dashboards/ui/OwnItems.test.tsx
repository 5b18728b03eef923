/** A widget's own boards and rules, in the panel of its settings. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { BoardInfo } from './boards';
import { EditPanel } from './EditPanel';
import type { JsonObject } from './model';
import { answerOf, coverage } from './testing';
import { kindOf } from './widgets';
import { configured } from './widgets/kind';

vi.mock('@shell/members', async (original) => ({ ...(await original<object>()), useMembers: () => ({ data: [] }) }));

const board = (id: string, name: string): BoardInfo => ({
  id,
  workspaceId: 'w',
  name,
  revision: 1,
  itemCount: 3,
  columns: [
    {
      id: 's',
      title: 'Status',
      type: 'status',
      settings: { labels: ['Open', 'Done'].map((text) => ({ id: text, text, color: '#fff', done: false })) },
    },
  ],
});
const boards = [board('b1', 'Site'), board('b2', 'App'), board('b3', 'Sales')];
const rule = { id: 'r1', col: { by: 'title', title: 'Status', type: 'status' }, op: 'anyOf', value: ['Lost'] };

function draw(settings: JsonObject, boardIds = boards.map(({ id }) => id)) {
  let now = settings;
  const kind = kindOf('numbers')!;
  function Panel() {
    const [held, setHeld] = useState(settings);
    now = held;
    const widget = { id: 'w', kind: 'numbers', title: '', layout: { x: 0, y: 0, w: 3, h: 3 }, settings: held };
    const answer = answerOf('numbers', undefined, {
      coverage: { ...coverage, inertRules: [{ id: 'r1', reason: 'deleted-label', own: 'rules' }] },
    });
    return (
      <EditPanel
        widget={widget}
        kind={kind}
        configured={configured(widget, answer)}
        answer={answer}
        boards={boards}
        boardIds={boardIds}
        placeholder=""
        onClose={() => {}}
        onTitle={() => {}}
        onSettings={setHeld}
      />
    );
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Panel />
    </QueryClientProvider>,
  );
  return () => now;
}

const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });

it('is of all boards or of some, and of all again without naming them', async () => {
  const user = userEvent.setup();
  const read = draw({ function: 'count', later: 1 });
  expect(['Site', 'App', 'Sales'].map((name) => box(name).checked)).toEqual([true, true, true]);
  await user.click(box('App'));
  expect(read()).toEqual({ function: 'count', later: 1, boards: ['b1', 'b3'] });
  await user.click(box('App'));
  expect(read()).toEqual({ function: 'count', later: 1 });
});

it('keeps a board that is not available among those that are chosen', async () => {
  const user = userEvent.setup();
  const read = draw({ function: 'count', boards: ['gone', 'b1'] });
  await user.click(box('Site'));
  expect(read().boards).toEqual(['gone']);
});

it('leaves out only what was unticked, not a board that could not be read', async () => {
  const user = userEvent.setup();
  const read = draw({ function: 'count' }, ['b1', 'b2', 'away', 'b3']);
  await user.click(box('Site'));
  expect(read().boards).toEqual(['b2', 'away', 'b3']);
  await user.click(box('Site'));
  expect(read()).toEqual({ function: 'count' });
});

it('has rules of its own, which keep what another program wrote and say why one has no effect', async () => {
  const user = userEvent.setup();
  const read = draw({ function: 'count', rules: [{ strange: true }, rule] as never });
  const rules = screen.getByRole('group', { name: 'Rules of this widget' });
  expect(within(rules).getByText('The label was deleted')).toBeTruthy();
  await user.click(within(rules).getByRole('button', { name: 'Open' }));
  expect(read().rules).toEqual([{ strange: true }, { ...rule, value: ['Lost', 'Open'] }]);
  await user.click(within(rules).getByRole('button', { name: 'Remove rule' }));
  await user.click(within(rules).getByRole('button', { name: 'Remove: an unsupported rule' }));
  expect(read()).toEqual({ function: 'count' });
});

it.each([
  ['per', 'Rules for the divisor'],
  ['ratio', 'Rules for the share'],
])('marks a rule in the list that has it, not one of its id in %s', (list, label) => {
  draw({ function: 'count', rules: [rule], [list]: { rules: [rule] } } as never);
  expect(
    within(screen.getByRole('group', { name: 'Rules of this widget' })).getByText('The label was deleted'),
  ).toBeTruthy();
  expect(within(screen.getByRole('group', { name: label })).queryByText('The label was deleted')).toBeNull();
});

it('shows a share by rules in the place of a function, and takes them away with it', async () => {
  const user = userEvent.setup();
  const read = draw({ function: 'count', ratio: { rules: [rule] } } as never);
  const rules = screen.getByRole('group', { name: 'Rules for the share' });
  await user.click(within(rules).getByRole('button', { name: 'Done' }));
  expect(read().ratio).toEqual({ rules: [{ ...rule, value: ['Lost', 'Done'] }] });
  expect(screen.queryByRole('button', { name: /Unit/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: /Function/ }));
  await user.click(screen.getByRole('option', { name: 'Number of items' }));
  expect(read()).toEqual({ function: 'count' });
});

it('divides a function by the items that meet rules, or does not', async () => {
  const user = userEvent.setup();
  const read = draw({ function: 'count', later: 1 });
  await user.click(screen.getByRole('switch', { name: 'Show as a share of matching items' }));
  expect(read()).toEqual({ function: 'count', later: 1, per: { rules: [] } });
  expect(screen.getByRole('group', { name: 'Rules for the divisor' })).toBeTruthy();
  await user.click(screen.getByRole('switch', { name: 'Show as a share of matching items' }));
  expect(read()).toEqual({ function: 'count', later: 1 });
});

it('keeps what another program wrote of what divides', async () => {
  const user = userEvent.setup();
  const read = draw({ function: 'count', per: { rules: [rule], later: 1 } } as never);
  await user.click(
    within(screen.getByRole('group', { name: 'Rules for the divisor' })).getByRole('button', { name: 'Done' }),
  );
  expect(read().per).toEqual({ rules: [{ ...rule, value: ['Lost', 'Done'] }], later: 1 });
});

it('writes so many decimals, one that only a script can choose included', async () => {
  const user = userEvent.setup();
  const read = draw({ function: 'count', format: { decimals: 7, later: true } });
  await user.click(screen.getByRole('button', { name: /^7.*Decimals/ }));
  await user.click(screen.getByRole('option', { name: /^2/ }));
  expect(read().format).toEqual({ decimals: 2, later: true });
  await user.click(screen.getByRole('button', { name: /^2.*Decimals/ }));
  await user.click(screen.getByRole('option', { name: 'Same as the columns' }));
  expect(read().format).toEqual({ later: true });
});
