/** Columns are added with the settings of their type, and changed later. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Route, Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ApiError } from '@shell/api';
import { ColumnDialog } from './ColumnDialog';

type Send = (path: string, body?: unknown, options?: unknown) => Promise<unknown>;
const api = { get: vi.fn<Send>(), patch: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'patch'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));
vi.mock('@shell/live', async (original) => ({ ...(await original<object>()), useLiveEvent: () => undefined }));
vi.mock('@shell/workspace', () => ({ useWorkspaces: () => ({ current: { id: 'w' } }) }));

const labels = [
  { id: 'l1', text: 'Open', color: '#4a7fd4' },
  { id: 'l2', text: 'Closed', color: '#00a86b', done: true },
];
const boards: Record<string, object> = {
  plans: {
    id: 'plans',
    name: 'Plans',
    groups: [],
    columns: [
      { id: 'c1', title: 'Status', type: 'status', settings: { labels } },
      { id: 'c2', title: 'Sprint', type: 'sprint', settings: { boardId: 'sprints' } },
    ],
  },
  sprints: {
    id: 'sprints',
    name: 'Sprints',
    groups: [{ id: 'g1', name: 'All' }],
    columns: [
      { id: 'c1', title: 'When', type: 'timeline', settings: {} },
      { id: 'c2', title: 'Made', type: 'createdAt', settings: {} },
    ],
  },
};
const onSave = vi.fn<(...args: unknown[]) => Promise<void>>();
const onClose = vi.fn();
const draw = (column?: string) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={memoryLocation({ path: '/boards/plans' }).hook}>
        <Route path="/boards/:id">
          <ColumnDialog isOpen onClose={onClose} onSave={onSave} {...(column ? { column } : {})} />
        </Route>
      </Router>
    </QueryClientProvider>,
  );
const choose = async (field: RegExp, option: string | RegExp) => {
  await userEvent.click(await screen.findByRole('button', { name: field }));
  await userEvent.click(await screen.findByRole('option', { name: option }));
};

beforeEach(() => {
  onSave.mockReset().mockResolvedValue();
  onClose.mockReset();
  api.patch.mockReset().mockResolvedValue({});
  api.get
    .mockReset()
    .mockImplementation((path) =>
      Promise.resolve(path === '/boards' ? { items: Object.values(boards) } : boards[path.split('/')[2]!]),
    );
});

it('a sprint column names its board', async () => {
  draw();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Iteration');
  await choose(/Type$/, 'Sprint');
  await choose(/Sprint board/, 'Sprints');
  await choose(/Sprint dates/, 'When');
  await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
  expect(onSave).toHaveBeenCalledWith('Iteration', 'sprint', { boardId: 'sprints', timelineColumn: 'c1' });
  expect(onClose).toHaveBeenCalled();
});

it('a mirror names a link and a column that holds values of its own', async () => {
  draw();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Sprint days');
  await choose(/Type$/, 'Mirror');
  await choose(/Link column/, 'Sprint');
  await userEvent.click(await screen.findByRole('button', { name: /Column of Sprints/ }));
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['When']);
  await userEvent.click(screen.getByRole('option', { name: 'When' }));
  await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
  expect(onSave).toHaveBeenCalledWith('Sprint days', 'mirror', { linkColumn: 'c2', sourceColumn: 'c1' });
});

it('a mirror by a column whose board is gone says so, and what to do', async () => {
  const told = () =>
    screen.getByText(
      'The board linked by Sprint was deleted or archived. Restore it from Trash or Archive, or use another column.',
    );
  api.get.mockImplementation((path) => {
    const answer = { '/boards': { items: [boards.plans] }, '/boards/plans': boards.plans }[path];
    return answer
      ? Promise.resolve(answer)
      : Promise.reject(new ApiError(404, { code: 'not-found', detail: 'Nothing here.' }));
  });
  draw();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Sprint days');
  await choose(/Type$/, 'Mirror');
  await choose(/Link column/, 'Sprint');
  await waitFor(told);
  await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
  told();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: /Link column/ }));
  expect(onSave).not.toHaveBeenCalled();
});

it('labels are renamed, ordered, added and given a category, by keyboard', async () => {
  draw('c1');
  const first = await screen.findByRole('textbox', { name: 'Text of label 1' });
  await userEvent.clear(first);
  await userEvent.type(first, 'To do');
  await userEvent.click(screen.getByRole('button', { name: 'Move To do down' }));
  await userEvent.click(screen.getByRole('button', { name: 'Add label' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Text of label 3' }), 'Parked');
  await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([
    'Not started',
    'Active',
    'Done',
    'Canceled',
  ]);
  await userEvent.keyboard('{End}{Enter}');
  await userEvent.click(screen.getByRole('button', { name: 'Save column' }));
  const sent = [
    labels[1],
    { ...labels[0], text: 'To do' },
    { id: '', text: 'Parked', color: '#8e5bd0', category: 'canceled', done: false },
  ];
  expect(api.patch).toHaveBeenCalledWith('/boards/plans/columns/c1', {
    settings: { labels: sent },
    was: { settings: { labels } },
  });
});

it('a new label gets the category that its text says, until somebody says otherwise', async () => {
  draw('c1');
  const add = async (at: number, text: string) => {
    await userEvent.click(await screen.findByRole('button', { name: 'Add label' }));
    await userEvent.type(screen.getByRole('textbox', { name: `Text of label ${at}` }), text);
  };
  await add(3, 'Fertig');
  await add(4, 'Won’t do');
  await add(5, 'Backlog');
  await add(6, 'Shipped');
  await choose(/Category of Shipped/, 'Active');
  await userEvent.click(screen.getByRole('button', { name: 'Save column' }));
  const sent = [
    ...labels,
    ...[
      ['Fertig', 'done'],
      ['Won’t do', 'canceled'],
      ['Backlog', 'notStarted'],
      ['Shipped', 'active'],
    ].map(([text, category]) => ({
      id: '',
      text,
      category,
      done: category === 'done',
      color: expect.any(String) as string,
    })),
  ];
  expect(api.patch).toHaveBeenCalledWith('/boards/plans/columns/c1', {
    settings: { labels: sent },
    was: { settings: { labels } },
  });
});

it('sends a new title alone, so that labels that others add meanwhile stay', async () => {
  draw('c1');
  const title = await screen.findByRole('textbox', { name: 'Title' });
  await userEvent.clear(title);
  await userEvent.type(title, 'State');
  await userEvent.click(screen.getByRole('button', { name: 'Save column' }));
  expect(api.patch).toHaveBeenCalledWith('/boards/plans/columns/c1', { title: 'State', was: { title: 'Status' } });
});

it('saves nothing where nothing was changed', async () => {
  draw('c1');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), ' {Enter}');
  expect([api.patch.mock.calls, onClose.mock.calls.length]).toEqual([[], 1]);
});

it('a refusal is said where it belongs, and nothing is lost', async () => {
  api.patch.mockRejectedValueOnce(
    new ApiError(409, { code: 'label-in-use', detail: 'Items still hold the label Closed (l2).' }),
  );
  draw('c1');
  await userEvent.click(await screen.findByRole('button', { name: 'Remove Closed' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save column' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Items still hold the label Closed');
  expect(onClose).not.toHaveBeenCalled();
  const title = screen.getByRole('textbox', { name: 'Title' });
  await userEvent.clear(title);
  await userEvent.click(screen.getByRole('button', { name: 'Save column' }));
  await waitFor(() => expect(screen.getByText('Enter a title.')).toBeTruthy());
});

it('says at the field what is still to be chosen, with the focus on it, and Escape closes', async () => {
  draw();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Iteration');
  await choose(/Type$/, 'Sprint');
  await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
  expect(await screen.findByText('Choose a board.')).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: /Sprint board/ }));
  await choose(/Type$/, 'Mirror');
  expect(screen.queryByText('Choose a board.')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Add column' }));
  expect(await screen.findByText('Choose a column.')).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: /Link column/ }));
  expect(onSave).not.toHaveBeenCalled();
  await userEvent.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalled();
});

it('a refusal by the program leaves the focus in the dialog and names what is wrong', async () => {
  onSave.mockRejectedValueOnce(
    new ApiError(422, {
      code: 'invalid-input',
      detail: 'A value was not accepted.',
      errors: [{ pointer: '/settings/unit', code: 'too-long', detail: 'The unit is too long.' }],
    }),
  );
  draw();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Depth');
  const add = screen.getByRole('button', { name: 'Add column' });
  await userEvent.click(add);
  expect((await screen.findByRole('alert')).textContent).toBe('The unit is too long.');
  expect(document.activeElement).toBe(add);
});

it('waits with a number that is none, until it is mended or no longer asked for', async () => {
  draw();
  const user = userEvent.setup();
  await user.type(await screen.findByRole('textbox', { name: 'Title' }), 'Points');
  await choose(/Type$/, 'Number');
  const add = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Add column' });
  const decimals = screen.getByRole('spinbutton', { name: 'Decimals' });
  await user.type(decimals, 'two');
  await user.click(add());
  expect(screen.getByText(/Enter a number/)).toBeTruthy();
  expect([onSave.mock.calls.length, document.activeElement]).toEqual([0, decimals]);
  await user.type(screen.getByRole('textbox', { name: 'Title' }), '{Enter}');
  expect([onSave.mock.calls.length, document.activeElement]).toEqual([0, decimals]);
  await choose(/Type$/, 'Rating');
  await user.click(add());
  expect(onSave.mock.calls).toEqual([['Points', 'rating', {}]]);
});

it('leaves a number that is none with the column that it was typed for', async () => {
  const numbers = ['Points', 'Hours'].map((title, at) => ({ id: `c${at + 1}`, title, type: 'number', settings: {} }));
  api.get.mockResolvedValue({ id: 'plans', name: 'Plans', groups: [], columns: numbers });
  draw('c1');
  const decimals = () => screen.findByRole<HTMLInputElement>('spinbutton', { name: 'Decimals' });
  await userEvent.type(await decimals(), 'two');
  await choose(/Column$/, /^Hours/);
  expect((await decimals()).value).toBe('');
  await userEvent.type(screen.getByRole('textbox', { name: 'Title' }), ' spent');
  await userEvent.click(screen.getByRole('button', { name: 'Save column' }));
  expect(api.patch.mock.calls).toEqual([
    ['/boards/plans/columns/c2', { title: 'Hours spent', was: { title: 'Hours' } }],
  ]);
});
