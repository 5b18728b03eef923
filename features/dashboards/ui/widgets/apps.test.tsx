/** A page of somebody else's: nothing is loaded before it was allowed, and what is drawn is closed off. */
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import type { AppsResult } from '@shell/engine/types';
import { makeQueryClient } from '@shell/query';
import type { WidgetActions } from '../WidgetBody';
import { WidgetBody } from '../WidgetBody';
import { EditPanel } from '../EditPanel';
import type { WidgetAnswer } from '../engine';
import type { JsonObject, Widget } from '../model';
import { answerOf, coverage } from '../testing';
import { configured } from './kind';
import { kindOf, kinds } from '.';

interface Allowed {
  id: string;
  address: string;
  frame: string;
  allowedAt: string;
}
let items: Allowed[] = [];
let refusal: ApiError | null = null;
const post = vi.fn((_path: string, { address }: { address: string }) =>
  Promise.resolve(items.push({ id: 'i', address, frame: 'apps/i.html', allowedAt: '' })),
);
const remove = vi.fn((_path: string) => Promise.resolve((items = [])));
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: () => (refusal ? Promise.reject(refusal) : Promise.resolve({ items: [...items] })),
    post: (path: string, body: { address: string }) => post(path, body),
    delete: (path: string) => remove(path),
  },
}));

const APP: AppsResult = { address: 'https://apps.example/plan', origin: 'https://apps.example', isLocal: false };
const kind = kindOf('apps')!;
const widgetOf = (settings: JsonObject): Widget => ({
  id: 'w',
  kind: 'apps',
  title: 'Plan',
  layout: { x: 0, y: 0, w: 6, h: 6 },
  settings,
});
const NONE = { ...coverage, boardsUsed: 0, boardsTotal: 0, itemsUsed: 0, itemsTotal: 0 };
const actions = new Proxy({}, { get: (_, name) => (name === 'edit' ? edit : () => undefined) }) as WidgetActions;
const edit = vi.fn();

function draw(answer: WidgetAnswer) {
  const boards = { infos: [], missing: [], isLoading: false, failed: [] };
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <WidgetBody
        widget={widgetOf({ address: APP.address })}
        kind={kind}
        answer={answer}
        boards={boards}
        boardIds={[]}
        error={null}
        actions={actions}
      />
    </QueryClientProvider>,
  );
}
const frame = () => document.querySelector('iframe');

beforeEach(() => {
  items = [];
  refusal = null;
  vi.clearAllMocks();
});

it('is off the menu, and needs no board', async () => {
  expect(kinds.filter(({ readsNoBoards }) => readsNoBoards).map(({ kind, isOffMenu }) => [kind, isOffMenu])).toEqual([
    ['apps', true],
  ]);
  draw(answerOf('apps', APP, { coverage: NONE }));
  expect(await screen.findByText('https://apps.example')).toBeTruthy();
});

it('says where it leads and loads nothing until it is allowed', async () => {
  draw(answerOf('apps', APP, { coverage: NONE }));
  const allow = await screen.findByRole('button', { name: 'Allow page' });
  expect(screen.getByText(APP.address)).toBeTruthy();
  expect(frame()).toBeNull();
  await userEvent.click(allow);
  await waitFor(() => expect(frame()).toBeTruthy());
  expect(post).toHaveBeenCalledExactlyOnceWith('/dashboards/apps', { address: APP.address });
});

it('draws what is allowed in a frame of our own that is closed off', async () => {
  items = [{ id: 'i', address: APP.address, frame: 'apps/i.html', allowedAt: '' }];
  draw(answerOf('apps', APP, { coverage: NONE }));
  await waitFor(() => expect(frame()).toBeTruthy());
  const told = Object.fromEntries([...frame()!.attributes].map(({ name, value }) => [name, value]));
  expect(told).toEqual({
    class: 'app-frame app-live',
    src: `${import.meta.env.BASE_URL}apps/i.html`,
    title: 'Plan, page from https://apps.example',
    sandbox: 'allow-scripts allow-forms',
    allow: '',
    referrerpolicy: 'no-referrer',
    loading: 'lazy',
  });
  expect(document.querySelector('.app-drawn')?.textContent).toBe(
    'Third-party page from https://apps.example. Shown only in Pilothouse.',
  );
});

it('another address of an allowed page is another page', async () => {
  items = [{ id: 'i', address: APP.address, frame: 'apps/i.html', allowedAt: '' }];
  draw(answerOf('apps', { ...APP, address: `${APP.address}?all-of-it` }, { coverage: NONE }));
  expect(await screen.findByRole('button', { name: 'Allow page' })).toBeTruthy();
  expect(frame()).toBeNull();
});

it('who is not the owner is offered nothing to press', async () => {
  refusal = new ApiError(403, { code: 'forbidden-caller', title: 'No', detail: 'No.' });
  draw(answerOf('apps', APP, { coverage: NONE }));
  expect(await screen.findByText("Only the account's owner can see pages from https://apps.example.")).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Allow|Try/ })).toBeNull();
});

it('a wrong address is inert and says why', async () => {
  draw(
    answerOf('apps', undefined, {
      state: { name: 'error', boards: [], message: 'the address has a user name or password' },
      coverage: NONE,
    }),
  );
  expect(document.querySelector('[data-state="settings"]')?.textContent).toContain(
    'Page not shown: the address has a user name or password.',
  );
  expect(frame()).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Edit widget' }));
  expect(edit).toHaveBeenCalledOnce();
});

it('its settings are the address and what is allowed, and nothing of boards', async () => {
  items = [{ id: 'i', address: APP.address, frame: 'apps/i.html', allowedAt: '' }];
  const onSettings = vi.fn();
  const widget = widgetOf({ address: '', later: 1 });
  const answer = answerOf('apps', APP, { coverage: NONE });
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <EditPanel
        widget={widget}
        kind={kind}
        configured={configured(widget, answer)}
        answer={answer}
        boards={[]}
        boardIds={[]}
        placeholder="App"
        onClose={() => {}}
        onTitle={() => {}}
        onSettings={onSettings}
      />
    </QueryClientProvider>,
  );
  expect(screen.queryByText(/subitems|Connect boards/)).toBeNull();
  await userEvent.click(screen.getByRole('textbox', { name: 'Address' }));
  await userEvent.paste(' https://apps.example/x ');
  expect(onSettings).toHaveBeenCalledExactlyOnceWith({ address: 'https://apps.example/x', later: 1 });
  await userEvent.click(await screen.findByRole('button', { name: `Remove ${APP.address}` }));
  expect(remove).toHaveBeenCalledExactlyOnceWith('/dashboards/apps/i');
});
