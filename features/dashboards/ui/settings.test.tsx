/** What a person chooses in a widget's settings, and that what a script chose stays. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import type { BoardInfo } from './boards';
import { subjectOf } from './filter/subject';
import type { JsonObject } from './model';
import { role } from './testing';
import { partly } from './toolbar/Reach';
import { kindOf } from './widgets';
import { chosenCols } from './mapping';
import { ownRules } from './words';

const column = (id: string, title: string, type = 'number') => ({ id, title, type, settings: {} });
const board = (id: string, ...columns: ReturnType<typeof column>[]): BoardInfo => ({
  id,
  workspaceId: 'w',
  name: `Board ${id}`,
  revision: 1,
  itemCount: 3,
  columns,
});
const BOARDS = [
  board('a', column('a1', 'Cost'), column('a2', 'Travel'), column('a3', 'Rent'), column('a4', 'Note', 'text')),
  board('b', column('b1', 'Cost')),
];

/** The editor of a kind with these settings, which it changes. */
function draw(name: string, settings: JsonObject, roleName: string) {
  const kind = kindOf(name)!;
  let now = settings;
  function Edited() {
    const [settings, set] = useState(now);
    now = settings;
    return (
      <kind.Editor
        settings={settings}
        roles={[role(roleName, 'number')]}
        cols={chosenCols(settings)}
        answer={undefined}
        boards={BOARDS}
        onChange={set}
      />
    );
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Edited />
    </QueryClientProvider>,
  );
  return () => now;
}
const choose = async (field: RegExp, option: string | RegExp) => {
  await userEvent.click(screen.getByRole('button', { name: field }));
  await userEvent.click(screen.getByRole('option', { name: option }));
};

it('several columns of one board make one figure, and one board alone has one', async () => {
  const read = draw('numbers', { cols: { value: { a: ['a1', 'a3'], b: ['b1'] } } }, 'value');
  const value = () => (read().cols as JsonObject).value;
  const others = screen.getByRole('group', { name: 'Other columns of Board a' });
  expect(screen.queryByRole('group', { name: 'Other columns of Board b' })).toBeNull();
  expect(
    within(others)
      .getAllByRole('checkbox')
      .map((box) => [box.closest('label')?.textContent, (box as HTMLInputElement).checked]),
  ).toEqual([
    ['Travel', false],
    ['Rent', true],
  ]);
  await userEvent.click(screen.getByLabelText('Travel'));
  expect(value()).toEqual({ a: ['a1', 'a3', 'a2'], b: ['b1'] });
  await userEvent.click(screen.getByLabelText('Rent'));
  expect(value()).toEqual({ a: ['a1', 'a2'], b: ['b1'] });
  // Another first one takes its place, and the others stay.
  await choose(/Cost.*Board a/, 'Rent');
  expect(value()).toEqual({ a: ['a3', 'a2'], b: ['b1'] });
  await choose(/Rent.*Board a/, 'Travel');
  expect(value()).toEqual({ a: ['a2'], b: ['b1'] });
  await choose(/Travel.*Board a/, 'No column');
  expect(value()).toEqual({ a: [], b: ['b1'] });
});

it('a text behind the figure is a unit without a currency', async () => {
  const read = draw('numbers', { format: { unit: 'h', decimals: 1 } }, 'value');
  const text = screen.getByRole<HTMLInputElement>('textbox', { name: 'Text' });
  expect(text.value).toBe('h');
  await userEvent.clear(text);
  expect(read().format).toEqual({ decimals: 1, unit: '' });
  await userEvent.type(text, 'days');
  expect(read().format).toEqual({ decimals: 1, currency: '', unit: 'days' });
  await choose(/Unit/, 'None');
  expect(read().format).toEqual({ decimals: 1, currency: '', unit: '' });
  expect(screen.queryByRole('textbox', { name: 'Text' })).toBeNull();
  await choose(/Unit/, /^Text after the number/);
  await userEvent.type(screen.getByRole('textbox', { name: 'Text' }), 'h');
  expect(read().format).toEqual({ decimals: 1, currency: '', unit: 'h' });
  await choose(/Unit/, 'Symbol before the number');
  expect(read().format).toEqual({ decimals: 1, currency: '', currencyPosition: 'left' });
  await choose(/Unit/, 'Same as the columns');
  expect(read().format).toEqual({ decimals: 1 });
});

it.each(['velocity', 'planned', 'burndown'])('%s writes its figures short or in full', async (name) => {
  const read = draw(name, { format: { decimals: 1 } }, 'effort');
  const abbreviate = screen.getByRole('switch', { name: 'Abbreviate numbers, such as 1.2K' });
  expect((abbreviate as HTMLInputElement).checked).toBe(true);
  await userEvent.click(abbreviate);
  expect(read().format).toEqual({ decimals: 1, abbreviate: false });
});

it('a widget says of its own rules, too, that they reach only some of its boards', () => {
  const about = (id: string, title: string) => ({
    id,
    col: { by: 'title' as const, title, type: 'number' },
    op: '>',
    value: 1,
  });
  const settings = {
    rules: [about('own', 'Travel'), 'no rule', { any: [about('other', 'Rent')] }],
  } as unknown as JsonObject;
  const reach = ['shared', 'own', 'other'].map((rule) => ({
    rule,
    boards: rule === 'shared' ? 2 : 1,
    of: 2,
    ...(rule === 'shared' ? {} : { own: 'rules' as const }),
  }));
  const parts = partly(reach, { shared: [about('shared', 'Cost')], ...ownRules(settings) }, subjectOf(BOARDS), BOARDS);
  expect(parts).toEqual([
    { what: 'Travel filter', reached: ['Board a'], others: ['Board b'] },
    { what: 'Rent filter', reached: ['Board a'], others: ['Board b'] },
  ]);
});
