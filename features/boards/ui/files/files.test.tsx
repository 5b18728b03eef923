import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import type { UploadOptions } from '@shell/upload';
import type { Attachment, Column } from '../data';
import { show } from '../format';
import { parseCell, plain } from '../grid/clipboard';
import { Files } from './Files';
import { FILE_BYTES_MAX, FILES_PER_CELL_MAX } from '@shell/gen/limits';
import { isPicture, refusal, sized } from './data';

const { api, authFetch, upload, done, problem } = vi.hoisted(() => ({
  api: { get: vi.fn(), post: vi.fn(), patch: vi.fn(), delete: vi.fn() },
  authFetch: vi.fn(),
  upload: vi.fn(),
  done: vi.fn(),
  problem: vi.fn(),
}));
vi.mock('@shell/api', async (original) => ({ ...(await original<object>()), api, authFetch }));
vi.mock('@shell/upload', () => ({ upload }));
vi.mock('@shell/components', async (original) => ({ ...(await original<object>()), toast: { done, problem } }));

const file = (id: string, more: Partial<Attachment> = {}): Attachment => ({
  id,
  name: `${id}.txt`,
  size: 7,
  type: 'text/plain',
  ...more,
});
const column: Column = { id: 'c1', title: 'Attached', type: 'file', settings: {} };
const cell = { board: 'b1', item: 'i1', column: 'c1' };
const onChanged = vi.fn().mockResolvedValue(undefined);
const draw = (files: readonly Attachment[], dropped?: readonly File[]) =>
  render(<Files cell={cell} label="Attached" files={files} {...(dropped ? { dropped } : {})} onChanged={onChanged} />);
const large = () => {
  const one = new File(['x'], 'large.zip');
  Object.defineProperty(one, 'size', { value: FILE_BYTES_MAX + 1 });
  return one;
};
const names = () =>
  within(screen.getByRole('list', { name: 'Files in Attached' }))
    .queryAllByRole('listitem')
    .map((one) => one.querySelector('bdi')?.textContent);

beforeEach(() => {
  for (const mock of [...Object.values(api), authFetch, upload, done, problem, onChanged])
    mock.mockReset().mockResolvedValue({});
});
afterEach(cleanup);

describe('a cell of files', () => {
  it('reads as the names, is copied as them and takes no text', () => {
    const files = [file('a'), file('b')];
    expect(show(files, column, [])).toBe('a.txt, b.txt');
    expect(plain(files, column, [])).toBe('a.txt, b.txt');
    expect(show(null, column, [])).toBe('');
    expect(parseCell('a.txt', column, [])).toEqual({
      refused: "You can't paste files into Attached. Attach them instead.",
    });
    expect(parseCell('', column, [])).toEqual({ value: null });
  });

  it('is shown with sizes, and only plain pictures are previewed', () => {
    expect([1, 7, 1536, 5 * 1024 * 1024].map(sized)).toEqual(['1 byte', '7 bytes', '1.5 kB', '5 MB']);
    expect(isPicture(file('a', { type: 'image/png' }))).toBe(true);
    expect(isPicture(file('a', { type: 'image/svg+xml' }))).toBe(false);
    expect(isPicture(file('a', { type: 'text/html' }))).toBe(false);
    expect(isPicture(file('a', { type: 'image/png', size: FILE_BYTES_MAX }))).toBe(false);
  });
});

describe('adding files', () => {
  it('says what is too large before anything is sent', async () => {
    draw([], [large()]);
    expect((await screen.findByRole('alert')).textContent).toContain('The limit is 25 MB');
    expect(upload).not.toHaveBeenCalled();
    expect(refusal(new File(['x'], 'a'), FILES_PER_CELL_MAX)).toMatch(/up to 20 files/);
    await userEvent.click(screen.getByRole('button', { name: 'Dismiss large.zip' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('sends one after the other and shows how far it is', async () => {
    let end = (_: unknown) => {};
    upload.mockImplementationOnce((_path: string, _file: File, { onProgress }: UploadOptions) => {
      onProgress?.(0.5);
      return new Promise((resolve) => (end = resolve));
    });
    const { container } = draw([]);
    const area = container.querySelector('.files')!;
    fireEvent.drop(area, { dataTransfer: { files: [new File(['1'], 'one.txt'), new File(['2'], 'two.txt')] } });
    const bar = await screen.findByRole<HTMLProgressElement>('progressbar', { name: 'Uploading one.txt' });
    await waitFor(() => expect(bar.value).toBe(0.5));
    expect(upload).toHaveBeenCalledTimes(1);
    expect(upload.mock.calls[0]![0]).toBe('/boards/b1/items/i1/files/c1');
    end({});
    await waitFor(() => expect(upload).toHaveBeenCalledTimes(2));
    await waitFor(() => expect(onChanged).toHaveBeenCalledTimes(2));
    expect(screen.queryByRole('progressbar')).toBeNull();
  });

  it('can be cancelled, and says why one was not taken', async () => {
    let stop: AbortSignal | undefined;
    upload.mockImplementationOnce((_path: string, _file: File, { signal }: UploadOptions) => {
      stop = signal;
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
      );
    });
    upload.mockRejectedValueOnce(new ApiError(422, { detail: 'A cell can have up to 20 files.' }));
    draw([], [new File(['1'], 'one.txt'), new File(['2'], 'two.txt')]);
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel upload of one.txt' }));
    expect(stop?.aborted).toBe(true);
    expect((await screen.findByRole('alert')).textContent).toBe('A cell can have up to 20 files.');
    expect(screen.queryByText('one.txt')).toBeNull();
    expect(onChanged).not.toHaveBeenCalled();
  });
});

describe('the files that are there', () => {
  const choose = async (of: string, entry: string) => {
    fireEvent.click(screen.getByRole('button', { name: `More actions for ${of}` }));
    fireEvent.click(await screen.findByRole('menuitem', { name: entry }));
  };

  it('are moved', async () => {
    draw([file('a'), file('b')]);
    expect(names()).toEqual(['a.txt', 'b.txt']);
    await choose('a.txt', 'Move down');
    expect(api.patch).toHaveBeenLastCalledWith('/boards/b1/items/i1/files/c1/a', { position: 1 });
  });

  it('are removed, with an undo', async () => {
    const files = [file('a'), file('b')];
    draw(files);
    api.delete.mockResolvedValue({ boardRevision: 7 });
    await choose('a.txt', 'Remove file');
    expect(api.delete).toHaveBeenCalledWith('/boards/b1/items/i1/files/c1/a');
    await waitFor(() => expect(done).toHaveBeenCalledTimes(1));
    const [title, { undo }] = done.mock.calls[0] as [string, { undo: () => Promise<void> }];
    expect(title).toBe('Removed a.txt');
    await undo();
    expect(api.post).toHaveBeenLastCalledWith('/boards/b1/undo', { revision: 7 });
  });
});
