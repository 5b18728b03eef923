import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Detail } from '../data';
import ArtifactsView from './ArtifactsView';
import type { Artifact } from './data';
import { inert } from '@shell/components/HtmlFrame';

let artifacts: Artifact[] = [];
const files: Record<string, Blob> = {};
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: () => Promise.resolve({ items: artifacts, nextCursor: null }) },
  authFetch: (address: string) => {
    const path = new URLSearchParams(address.slice(address.indexOf('?'))).get('path')!;
    return Promise.resolve({ ok: true, blob: () => Promise.resolve(files[path]) });
  },
}));

const artifact = (path: string, kind: string): Artifact => ({
  id: path,
  path,
  kind,
  bytes: 12,
  changedAt: '2026-01-02T03:04:05Z',
});

const draw = () =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ArtifactsView session={{ id: 's1', turns: 1 } as Detail} />
    </QueryClientProvider>,
  );

beforeEach(() => {
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:made', revokeObjectURL: () => undefined }));
  artifacts = [];
});

it('says what appears there while there is nothing', async () => {
  draw();
  await screen.findByText('No artifacts');
});

it('shows the newest file, and others by its list: tables, images, and text', async () => {
  artifacts = [artifact('out/table.csv', 'csv'), artifact('drawing.svg', 'image'), artifact('paper.pdf', 'pdf')];
  files['out/table.csv'] = new Blob(['Name,Age\nAda,36'], { type: 'text/csv' });
  files['drawing.svg'] = new Blob(['<svg/>'], { type: 'image/svg+xml' });
  files['paper.pdf'] = new Blob(['%PDF'], { type: 'application/pdf' });
  draw();
  await screen.findByRole('columnheader', { name: 'Age' });
  expect(screen.getByRole('cell', { name: '36' })).not.toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /drawing\.svg/ }));
  expect((await screen.findByRole<HTMLImageElement>('img', { name: 'drawing.svg' })).src).toBe('blob:made');
  await userEvent.click(screen.getByRole('button', { name: /paper\.pdf/ }));
  await screen.findByText('Preview not available. Download the file to open it.');
});

it('leaves out of an HTML file what runs, loads, or leads elsewhere', () => {
  const hostile = `<title>T</title><base href="https://evil.example"><meta http-equiv="refresh" content="0;url=https://evil.example">
    <link rel="preconnect" href="https://evil.example"><style>p { color: red }</style><p>Kept</p><script>alert(1)</script>
    <iframe src="https://evil.example"></iframe><object data="x"></object><embed src="x">`;
  const shown = inert(hostile);
  expect(shown).not.toMatch(/script|iframe|evil\.example|object|embed/);
  expect(shown).toContain('<p>Kept</p>');
  expect(shown).toContain('color: red');
});
