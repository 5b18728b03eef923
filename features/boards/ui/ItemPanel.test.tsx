import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { signInAnother } from '@shell/testing/signIn';
import { describe as inWords } from './Activity';
import type { Column } from './data';
import type { Change, Comment } from './discussion';
import { ItemPanel } from './ItemPanel';

type Send = (path: string, body?: unknown, options?: unknown) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), patch: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'patch', 'delete'] as const).map((method) => [
      method,
      (...args: Parameters<Send>) => api[method](...args),
    ]),
  ),
}));
const live = new Map<string, (event: unknown) => void>();
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  useLiveEvent: (name: string, handler: (event: unknown) => void) => void live.set(name, handler),
}));

const members = [
  { id: 'm-anna', name: 'Anna Berg' },
  { id: 'm-ben', name: 'Ben Ito' },
];
const columns: Column[] = [
  {
    id: 'c1',
    title: 'Status',
    type: 'status',
    settings: { labels: [{ id: 'l1', text: 'Open', color: '#4a7fd4', done: false }] },
  },
];
const comment = (id: string, more: Partial<Comment> = {}): Comment => ({
  id,
  author: { kind: 'owner', name: 'Owner' },
  text: `Text ${id}`,
  deleted: false,
  own: true,
  createdAt: '2026-03-01T12:00:00Z',
  revision: 1,
  ...more,
});
const change = (more: Partial<Change>): Change => ({
  changeId: 'x1',
  at: '2026-03-01T12:00:00Z',
  actor: { kind: 'agent', name: 'Session', sessionId: 's1' },
  by: 'Session (s1)',
  field: 'name',
  before: 'Old',
  after: 'New',
  undoable: true,
  ...more,
});

let comments: Comment[] = [];
let changes: Change[] = [];
const onClose = vi.fn();
const draw = (item = 'i1') =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <ItemPanel
        board="b1"
        item={item}
        name="Mend the sails"
        columns={columns}
        groups={[{ id: 'g1', name: 'To do' }]}
        members={members}
        filesOf={() => []}
        onFiles={() => Promise.resolve()}
        onArchive={() => undefined}
        onDelete={() => undefined}
        onClose={onClose}
      />
    </QueryClientProvider>,
  );
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Comment' });

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  api.get.mockImplementation((path) =>
    Promise.resolve({ items: path.endsWith('/comments') ? comments : changes, nextCursor: null }),
  );
  comments = [];
  changes = [];
  live.clear();
  onClose.mockReset();
});

describe('the comments of an item', () => {
  it('are shown as text, with mentions by name and a place for what was deleted', async () => {
    comments = [
      comment('1', { text: '<img src=x onerror=alert(1)> **bold** @[m-ben] @[m-gone]' }),
      comment('2', { deleted: true, text: '' }),
      comment('3', { author: { kind: 'member', name: 'Anna Berg' }, own: false, revision: 2 }),
    ];
    const { container } = draw();
    expect((await screen.findByText(/bold/)).textContent).toBe(
      '<img src=x onerror=alert(1)> **bold** @Ben Ito @[m-gone]',
    );
    expect(container.querySelector('img')).toBeNull();
    const [first, second, third] = screen.getAllByRole('listitem');
    expect(within(first!).getByRole('button', { name: 'Edit comment' })).toBeTruthy();
    expect(second!.textContent).toContain('This comment was deleted.');
    expect(within(second!).queryByRole('button')).toBeNull();
    expect(within(third!).getByText('Anna Berg')).toBeTruthy();
    expect(within(third!).getByText('edited')).toBeTruthy();
    expect(within(third!).queryByRole('button', { name: 'Edit comment' })).toBeNull();
  });

  it('are written by keyboard, members by typing @', async () => {
    draw();
    const user = userEvent.setup();
    await user.type(field(), 'Ask @b');
    expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['Anna Berg', 'Ben Ito']);
    await user.keyboard('{ArrowDown}');
    expect(screen.getByRole('option', { selected: true }).id).toBe(field().getAttribute('aria-activedescendant'));
    await user.keyboard('{Enter}');
    expect(field().value).toBe('Ask @Ben Ito ');
    expect(screen.queryByRole('listbox')).toBeNull();
    await user.keyboard('today{Control>}{Enter}{/Control}');
    expect(api.post.mock.calls).toEqual([
      ['/boards/b1/items/i1/comments', { id: expect.stringMatching(/^[0-9a-z]{16}$/), text: 'Ask @[m-ben] today' }],
    ]);
    await waitFor(() => expect(field().value).toBe(''));
  });

  it('keep what was typed where it was refused, and over closing', async () => {
    api.post.mockRejectedValue(new ApiError(409, { detail: 'An item has at most 10,000 comments.' }));
    const { unmount } = draw('i2');
    const user = userEvent.setup();
    await user.type(field(), 'Not lost');
    await user.click(screen.getByRole('button', { name: 'Add comment' }));
    expect((await screen.findByRole('alert')).textContent).toBe('An item has at most 10,000 comments.');
    unmount();
    draw('i2');
    expect(field().value).toBe('Not lost');
  });

  it('wait in the list where the program does not answer, and are edited and taken back there', async () => {
    comments = [comment('1')];
    const { unmount } = draw('i6');
    await screen.findByText('Text 1');
    const gone = new ApiError(0, { detail: 'No answer.' });
    for (const send of [api.post, api.patch, api.delete]) send.mockRejectedValue(gone);
    const user = userEvent.setup();
    const add = async (text: string) => {
      await user.type(field(), text);
      await user.click(screen.getByRole('button', { name: 'Add comment' }));
      await waitFor(() => expect(field().value).toBe(''));
    };
    await add('While away');
    await add('Another');
    const entries = () => within(screen.getAllByRole('list')[0]!).getAllByRole('listitem');
    expect(entries().map((entry) => entry.querySelector('.comment-text')?.textContent)).toEqual([
      'Text 1',
      'While away',
      'Another',
    ]);
    expect(screen.getAllByText('waiting to be sent')).toHaveLength(2);
    expect(screen.queryByRole('alert')).toBeNull();
    // What never left is another text, or gone, without a request.
    await user.click(within(entries()[2]!).getByRole('button', { name: 'Edit comment' }));
    await user.type(screen.getByRole('textbox', { name: 'Edit comment' }), ' one');
    await user.click(screen.getByRole('button', { name: 'Save comment' }));
    expect(await screen.findByText('Another one')).toBeTruthy();
    await user.click(within(entries()[2]!).getByRole('button', { name: 'Delete comment' }));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete comment' }));
    await waitFor(() => expect(entries()).toHaveLength(2));
    await waitFor(() => expect(document.activeElement).toBe(field()));
    // One that is there already waits to be deleted.
    await user.click(within(entries()[0]!).getByRole('button', { name: 'Delete comment' }));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete comment' }));
    expect((await screen.findByText('This comment was deleted.')).closest('li')).toBe(entries()[0]);
    await waitFor(() => expect(document.activeElement).toBe(entries()[1]));
    // Only the first goes out, and perhaps again: the others wait behind it.
    expect(new Set(api.post.mock.calls.map((call) => JSON.stringify(call))).size).toBe(1);
    expect([api.patch.mock.calls.length, api.delete.mock.calls.length]).toEqual([0, 0]);
    unmount();
    await signInAnother();
  });

  it('do not show what one typed to who signs in next', async () => {
    const { unmount } = draw('i5');
    await userEvent.type(field(), 'Between us');
    unmount();
    await signInAnother();
    draw('i5');
    expect(field().value).toBe('');
  });

  it('are not sent empty or too long', async () => {
    draw('i3');
    const user = userEvent.setup();
    const add = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Add comment' }).disabled;
    expect(add()).toBe(true);
    await user.click(field());
    await user.paste('x'.repeat(10_001));
    expect(add()).toBe(true);
    expect(screen.getByText('10,001 of 10,000 characters')).toBeTruthy();
    await user.keyboard('{Backspace}');
    expect(add()).toBe(false);
  });

  it('are edited and deleted', async () => {
    comments = [comment('1', { text: 'Hello @[m-anna]', revision: 3 })];
    draw();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Edit comment' }));
    const edit = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Edit comment' });
    expect(edit.value).toBe('Hello @Anna Berg');
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('textbox', { name: 'Edit comment' })).toBeNull();
    expect(onClose).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Edit comment' }));
    await user.type(screen.getByRole('textbox', { name: 'Edit comment' }), '!');
    await user.click(screen.getByRole('button', { name: 'Save comment' }));
    expect(api.patch.mock.calls).toEqual([
      ['/boards/b1/items/i1/comments/1', { text: 'Hello @[m-anna]!' }, { ifMatch: '"3"' }],
    ]);
    await user.click(await screen.findByRole('button', { name: 'Delete comment' }));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete comment' }));
    expect(api.delete.mock.calls).toEqual([['/boards/b1/items/i1/comments/1']]);
  });

  it('follow what others write about this item', async () => {
    draw();
    await screen.findByText('No comments yet');
    comments = [comment('1')];
    live.get('comment-added')!({ itemId: 'another' });
    live.get('comment-added')!({ itemId: 'i1' });
    expect(await screen.findByText('Text 1')).toBeTruthy();
    expect(api.get.mock.calls).toHaveLength(2);
  });

  it('bring the members that @ offers into view, however many', async () => {
    const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => {});
    draw();
    const user = userEvent.setup();
    await user.type(field(), '@b');
    const list = screen.getByRole('listbox', { name: 'Members' });
    expect(scrolled.mock.contexts).toEqual([list]);
    await user.type(field(), 'en');
    expect(scrolled.mock.contexts).toEqual([list, list]);
    scrolled.mockRestore();
    // The next panel would begin with it.
    await user.clear(field());
  });

  it('close with Escape', async () => {
    draw();
    const user = userEvent.setup();
    await user.type(field(), '@a');
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('listbox')).toBeNull();
    expect(onClose).not.toHaveBeenCalled();
    await user.keyboard('{Escape}');
    expect(onClose).toHaveBeenCalledOnce();
  });
});

describe('the activity of an item', () => {
  it('says who changed what and takes a change back', async () => {
    changes = [change({}), change({ changeId: 'x0', field: '', before: null, after: {}, undoable: false })];
    draw();
    const user = userEvent.setup();
    await user.click(screen.getByRole('tab', { name: 'Activity' }));
    const [first, last] = (await screen.findAllByRole('listitem')).slice(-2);
    expect(first!.textContent).toContain('Old became New');
    expect(within(first!).getByText('s1')).toBeTruthy();
    expect(within(last!).queryByRole('button')).toBeNull();
    await user.click(within(first!).getByRole('button', { name: 'Undo: Name, Old to New' }));
    expect(api.post.mock.calls).toEqual([['/boards/b1/undo', { changeId: 'x1' }]]);
  });

  it('says where there is none', async () => {
    draw();
    await userEvent.setup().click(screen.getByRole('tab', { name: 'Activity' }));
    expect(await screen.findByText('No changes yet')).toBeTruthy();
  });

  it('is put into words', () => {
    const say = (more: Partial<Change>) => {
      const { title, words } = inWords(change(more), columns, [{ id: 'g1', name: 'To do' }], members);
      return words ? `${title}: ${words.before} > ${words.after}` : title;
    };
    expect(say({ field: 'c1', before: null, after: 'l1' })).toBe('Status: empty > Open');
    expect(say({ field: 'c1', before: 'l9', after: 'l1' })).toBe('Status: unknown value > Open');
    expect(say({ field: 'groupId', before: 'g9', after: 'g1' })).toBe('Group: a deleted group > To do');
    expect(say({ field: 'c9' })).toBe('A deleted column');
    expect(say({ field: 'position', before: 1, after: 2 })).toBe('Moved');
    expect(say({ field: 'comments/1', before: null, after: {} })).toBe('Commented');
    expect(say({ field: 'comments/1', before: {}, after: {} })).toBe('Edited a comment');
    expect(say({ field: 'comments/1', before: {}, after: null })).toBe('Deleted a comment');
  });
});
