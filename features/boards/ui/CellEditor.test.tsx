import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, createEvent, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import type { Member } from '@shell/members';
import { CellEditor } from './CellEditor';
import type { CellValue, Column } from './data';
import { describeLinks } from './links';

type Send = (path: string, body?: unknown) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (...args: Parameters<Send>) => api.get(...args), post: (...args: Parameters<Send>) => api.post(...args) },
}));

const members = [
  { id: 'm1', name: 'Anna Berg' },
  { id: 'm2', name: 'Ben Ito' },
  { id: 'm3', name: 'Bea Anders' },
];
const labels = ['To do', 'Testing', 'Done', 'Tried'].map((text, at) => ({
  id: `l${at + 1}`,
  text,
  color: '#4a7fd4',
  done: false,
}));
const onCommit = vi.fn();
const onDone = vi.fn();
const scrolled = vi.fn();
function draw(column: Column, value: CellValue, typed: string | null = null, among: readonly Member[] = members) {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <CellEditor
        column={column}
        value={value}
        members={among}
        typed={typed}
        label="Cell"
        onCommit={onCommit}
        onDone={onDone}
      />
    </QueryClientProvider>,
  );
  return userEvent.setup();
}
const col = (type: Column['type'], settings: Column['settings'] = {}): Column => ({
  id: 'c1',
  title: 'Column',
  type,
  settings,
});
const options = () => screen.getAllByRole('option').map((option) => option.textContent);

beforeEach(() => {
  for (const mock of [onCommit, onDone, api.get, api.post, scrolled]) mock.mockReset();
  Element.prototype.scrollIntoView = scrolled;
});

describe('space on a list of choices', () => {
  it('opens it, and is no letter of a label', () => {
    draw(col('status', { labels }), 'l2', ' ');
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Cell' }).value).toBe('l2');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('an editor that is only opened', () => {
  it.each<[Column['type'], CellValue]>([
    ['number', 1250.5],
    ['date', '2026-01-05'],
    ['text', ' kept '],
    ['tags', ['one, two']],
    // Held from before the column took less.
    ['rating', 9],
  ])('begins with what a cell of type %s holds at Space too, and changes nothing', async (type, value) => {
    const user = draw(col(type), value, ' ');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Cell' }).value).not.toBe(' ');
    await user.keyboard('{Enter}');
    expect(onDone).toHaveBeenCalledWith({ lines: 1, columns: 0 }, false);
    expect(onCommit).not.toHaveBeenCalled();
  });

  it('is emptied by who empties it', async () => {
    const user = draw(col('number'), 12, ' ');
    await user.keyboard('{Backspace}{Backspace}{Enter}');
    expect(onCommit.mock.calls).toEqual([[null]]);
  });
});

describe('a long text', () => {
  const box = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Cell' });

  it('takes several lines, and is saved by Enter', async () => {
    const user = draw(col('longText'), 'One');
    expect(box().tagName).toBe('TEXTAREA');
    await user.keyboard('{Shift>}{Enter}{/Shift}Two{Alt>}{Enter}{/Alt}Three');
    expect(onCommit).not.toHaveBeenCalled();
    expect(box().value).toBe('One\nTwo\nThree');
    await user.keyboard('{Enter}');
    expect(onCommit.mock.calls).toEqual([['One\nTwo\nThree']]);
    expect(onDone).toHaveBeenCalledWith({ lines: 1, columns: 0 }, false);
  });

  it('begins a line where the caret is', async () => {
    const user = draw(col('longText'), 'OneTwo');
    box().setSelectionRange(3, 3);
    await user.keyboard('{Alt>}{Enter}{/Alt}');
    expect(box().value).toBe('One\nTwo');
    expect(box().selectionStart).toBe(4);
  });

  it('is given up by Escape, and replaced by what is typed on its cell', async () => {
    const user = draw(col('longText'), 'One\nTwo', 'x');
    expect(box().value).toBe('x');
    await user.keyboard('{Escape}');
    expect(onCommit).not.toHaveBeenCalled();
    expect(onDone).toHaveBeenCalledWith(null);
  });
});

describe('a day that is typed', () => {
  it('keeps its first digit, and is understood in several ways', async () => {
    const user = draw(col('date'), '2026-01-05', '2');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Cell' }).value).toBe('2');
    await user.keyboard('026-12-01{Enter}');
    expect(onCommit.mock.calls).toEqual([['2026-12-01']]);
  });

  it('is refused under the field, in view, with what is understood', async () => {
    const user = draw(col('date'), null, 's');
    await user.keyboard('oon{Enter}');
    expect(onCommit).not.toHaveBeenCalled();
    expect(screen.getByRole('alert').textContent).toBe(
      'Column accepts a date, such as 2026-03-01, 1.3.2026, 1 March 2026, or tomorrow.',
    );
    expect(scrolled).toHaveBeenCalledWith({ block: 'nearest', inline: 'nearest' });
    await user.clear(screen.getByRole('textbox'));
    await user.keyboard('1 Dec 2026{Tab}');
    expect(onCommit.mock.calls).toEqual([['2026-12-01']]);
  });

  it('is two days in a timeline', async () => {
    const user = draw(col('timeline'), null, '2');
    await user.keyboard('026-12-01 to 12/5/2026{Enter}');
    expect(onCommit.mock.calls).toEqual([[{ from: '2026-12-01', to: '2026-12-05' }]]);
  });

  it('is typed in the same field however editing began', async () => {
    const user = draw(col('date'), '2026-01-05');
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Cell' });
    expect([field.type, field.value]).toEqual(['text', '2026-01-05']);
    await user.clear(field);
    await user.keyboard('20 Nov 2026{Enter}');
    expect(onCommit.mock.calls).toEqual([['2026-11-20']]);
  });

  it('is chosen in the calendar as well, and the other day of a timeline stays', async () => {
    const user = draw(col('timeline'), { from: '2026-01-05', to: '2026-01-16' });
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Cell' });
    expect(field.value).toBe('2026-01-05 to 2026-01-16');
    const shown = vi.fn();
    HTMLInputElement.prototype.showPicker = shown;
    await user.click(screen.getByRole('button', { name: 'Choose the last day' }));
    expect(document.activeElement).toBe(field);
    const calendar = shown.mock.contexts[0] as HTMLInputElement;
    expect([calendar.type, calendar.value, calendar.min]).toEqual(['date', '2026-01-16', '2026-01-05']);
    fireEvent.change(calendar, { target: { value: '2026-02-01' } });
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
    fireEvent.change(shown.mock.contexts[1] as HTMLInputElement, { target: { value: '2026-01-07' } });
    await user.keyboard('{Enter}');
    expect(onCommit.mock.calls).toEqual([[{ from: '2026-01-07', to: '2026-02-01' }]]);
  });
});

it('puts the caret behind the text, which typing then does not replace', async () => {
  const user = draw(col('text'), 'hull');
  await user.keyboard('s{Enter}');
  expect(onCommit.mock.calls).toEqual([['hulls']]);
});

describe('a label that is typed', () => {
  const chosen = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Cell' }).selectedOptions[0]!.text;
  it('is the one that begins with every letter', async () => {
    const user = draw(col('status', { labels }), null, 't');
    expect(chosen()).toBe('To do');
    await user.keyboard('e');
    expect(chosen()).toBe('Testing');
    await user.keyboard('{Enter}');
    expect(onCommit.mock.calls).toEqual([['l2']]);
  });

  it('goes on to the next with the same letter, and through a space', async () => {
    const user = draw(col('dropdown', { labels }), 'l3', 't');
    expect(chosen()).toBe('Tried');
    await user.keyboard('t');
    expect(chosen()).toBe('To do');
    await user.keyboard('o d');
    expect(chosen()).toBe('To do');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('may have the letters anywhere, after those that begin with them', async () => {
    const states = ['On track', 'At risk', 'Off track', 'Ripe'].map((text, at) => ({
      id: `s${at}`,
      text,
      color: '#4a7fd4',
      done: false,
    }));
    const user = draw(col('status', { labels: states }), null, 'r');
    expect(chosen()).toBe('Ripe');
    await user.keyboard('isk');
    expect(chosen()).toBe('At risk');
    expect(screen.queryByRole('alert')).toBeNull();
    await user.keyboard('o');
    expect(screen.getByRole('alert').textContent).toBe('No Column label contains “risko”.');
    expect(chosen()).toBe('At risk');
  });

  it('begins anew after a pause', () => {
    draw(col('status', { labels }), null, 't');
    const list = screen.getByRole('combobox', { name: 'Cell' });
    const type = (key: string, at: number) => {
      const event = createEvent.keyDown(list, { key });
      Object.defineProperty(event, 'timeStamp', { value: at });
      fireEvent(list, event);
      return chosen();
    };
    expect(type('e', 10_000)).toBe('Testing');
    expect(type('d', 12_000)).toBe('Done');
  });

  it('says that none has it', async () => {
    const user = draw(col('status', { labels }), 'l3', 'z');
    expect(screen.getByRole('alert').textContent).toBe('No Column label contains “z”.');
    expect(chosen()).toBe('Done');
    await user.keyboard('t');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(chosen()).toBe('Tried');
  });
});

describe('what the column does not take', () => {
  it('stays in its editor with the reason, and is kept when that is left', async () => {
    const user = draw(col('progress'), 40, '1');
    await user.keyboard('50{Enter}');
    expect(onDone).not.toHaveBeenCalled();
    expect(screen.getByRole('alert').textContent).toBe('Column accepts a number from 0 to 100.');
    render(<ToastRegion />);
    act(() => screen.getByRole('textbox', { name: 'Cell' }).blur());
    expect(onCommit).not.toHaveBeenCalled();
    expect(await screen.findByText("Couldn't save cell")).toBeTruthy();
    expect(onDone).toHaveBeenCalledWith(null, true);
  });

  it('is there again to be corrected', async () => {
    render(
      <CellEditor
        column={col('progress')}
        value={40}
        members={members}
        typed={null}
        again="150"
        label="Cell"
        onCommit={onCommit}
        onDone={onDone}
      />,
    );
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Cell' }).value).toBe('150');
    await userEvent.keyboard('{Backspace}{Enter}');
    expect(onCommit.mock.calls).toEqual([[15]]);
  });
});

describe('people', () => {
  it('are found by letters, several of them, and saved by keyboard', async () => {
    const user = draw(col('people'), null, 'b');
    expect(options()).toEqual(['Ben Ito', 'Bea Anders', 'Anna Berg']);
    await user.keyboard('ea{Enter}');
    expect(screen.getByRole('option', { name: 'Bea Anders' }).getAttribute('aria-selected')).toBe('true');
    // Tab takes what is offered, and goes on.
    await user.keyboard('anna b{Tab}');
    expect(onCommit.mock.calls).toEqual([[['m3', 'm1']]]);
    expect(onDone.mock.calls).toEqual([[{ lines: 0, columns: 1 }, false]]);
  });

  it('of one name are told apart, and found by what does', async () => {
    const alike = [...members, { id: 'm4', name: 'Anna Berg', email: 'anna@b.example' }];
    const user = draw(col('people'), ['m1'], null, alike);
    expect(options()).toEqual(['Anna Berg (…m1)', 'Ben Ito', 'Bea Anders', 'Anna Berg (anna@b.example)', 'Unassigned']);
    expect(screen.getByRole<HTMLInputElement>('combobox').placeholder).toBe('Anna Berg (…m1)');
    await user.keyboard('anna@b{Tab}');
    expect(onCommit.mock.calls).toEqual([[['m1', 'm4']]]);
  });

  it('who are none any more are shown and taken out', async () => {
    const user = draw(col('people'), ['m2', 'gone']);
    expect(screen.getByRole<HTMLInputElement>('combobox').placeholder).toBe('Ben Ito, Former member');
    const former = screen.getByRole('option', { name: 'Former member' });
    expect(former.getAttribute('aria-selected')).toBe('true');
    await user.click(former);
    expect(options()).toEqual(['Ben Ito', 'Anna Berg', 'Bea Anders', 'Unassigned']);
    await user.keyboard('{Enter}');
    expect(onCommit.mock.calls).toEqual([[['m2']]]);
  });

  it('who are none any more stay beside another that is chosen', async () => {
    const user = draw(col('people'), ['gone']);
    await user.click(screen.getByRole('option', { name: 'Anna Berg' }));
    await user.keyboard('{Enter}');
    expect(onCommit.mock.calls).toEqual([[['gone', 'm1']]]);
  });

  it('are taken out, or all of them with Unassigned', async () => {
    const user = draw(col('people'), ['m2', 'gone']);
    expect(options()).toEqual(['Former member', 'Ben Ito', 'Anna Berg', 'Bea Anders', 'Unassigned']);
    await user.click(screen.getByRole('option', { name: 'Anna Berg' }));
    await user.click(screen.getByRole('option', { name: 'Ben Ito' }));
    expect(screen.getByRole<HTMLInputElement>('combobox').placeholder).toBe('Former member, Anna Berg');
    await user.keyboard('una{Enter}{Enter}');
    expect(onCommit.mock.calls).toEqual([[null]]);
  });

  it('who are unknown are said, with where members are added', async () => {
    const user = draw(col('people'), ['m2']);
    await user.keyboard('Zoe{Enter}{Tab}');
    expect(onDone).not.toHaveBeenCalled();
    expect(screen.getByRole('status').textContent).toMatch(/^Member Zoe not found\. Add/);
    await user.keyboard('{Escape}');
    expect(onCommit).not.toHaveBeenCalled();
  });
});

describe('links', () => {
  const column = col('itemLink', { boardId: 'b2', groupId: 'g1' });
  it('are asked for by name, in their group', async () => {
    api.get.mockResolvedValue({ groups: [{ id: 'g1', name: 'Open' }] });
    api.post.mockResolvedValue({
      items: [
        { id: 'i7', name: 'Résumé', groupId: 'g1' },
        { id: 'i8', name: 'Other', groupId: 'g2' },
      ],
      total: 1200,
    });
    describeLinks({
      board: { id: 'b1' },
      groups: [],
      columns: [column],
      members: [],
      linked: [{ boardId: 'b2', columns: [], items: [{ id: 'i1', name: 'Sails' }] }],
    });
    const user = draw(column, ['i1'], 'r');
    await waitFor(() => expect(options()).toEqual(['Résumé']));
    expect(screen.getByRole('status').textContent).toBe('1 of 1,200 items: type to search');
    const [path, body] = api.post.mock.calls.at(-1)!;
    expect([path, body]).toEqual([
      '/boards/b2/query',
      {
        filters: {
          v: 1,
          all: [
            { col: { by: 'builtin', name: 'name' }, op: 'contains', value: 'r' },
            { col: { by: 'builtin', name: 'group' }, op: 'anyOf', value: ['Open'] },
          ],
        },
        columns: [],
        limit: 50,
      },
    ]);
    await user.keyboard('{Enter}');
    await waitFor(() => expect(options()).toEqual(['Sails', 'Résumé']));
    await user.keyboard('{Enter}');
    expect(onCommit.mock.calls).toEqual([[['i1', 'i7']]]);
  });

  it('that are not found keep what was typed', async () => {
    api.post.mockResolvedValue({ items: [], total: 0 });
    const user = draw(col('itemLink', { boardId: 'b2' }), null, 'x');
    await screen.findByText('No matching items');
    await user.keyboard('{Enter}');
    expect(onDone).not.toHaveBeenCalled();
    expect(screen.getByRole<HTMLInputElement>('combobox').value).toBe('x');
  });
});
