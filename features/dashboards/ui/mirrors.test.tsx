import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { withResults, withSources, type BoardInfo, type Column } from './boards';
import { ColumnPicker } from './ColumnPicker';
import type { BoardHead } from './engine';
import { role } from './testing';

const column = (id: string, title: string, type: string, settings: Column['settings'] = {}): Column => ({
  id,
  title,
  type,
  settings,
});
const board = (id: string, columns: Column[]): BoardInfo => ({
  id,
  workspaceId: 'w',
  name: `Board ${id}`,
  revision: 1,
  itemCount: 0,
  columns,
});
const issues = board('issues', [
  column('p', 'Points', 'number', { unit: 'pts' }),
  column('d', 'Due', 'date'),
  column('s', 'State', 'status', { labels: [{ id: 'l', text: 'Open', color: '#123456', done: false }] }),
]);
const projects = board('projects', [
  column('link', 'Issues', 'itemLink', { boardId: 'issues' }),
  column('lost', 'Lost links', 'itemLink', { boardId: 'deleted' }),
  column('m1', 'Effort', 'mirror', { linkColumn: 'link', sourceColumn: 'p' }),
  column('m2', 'Until', 'mirror', { linkColumn: 'link', sourceColumn: 'd' }),
  column('m3', 'States', 'mirror', { linkColumn: 'link', sourceColumn: 's' }),
  column('m4', 'Nothing', 'mirror', { linkColumn: 'link', sourceColumn: 'gone' }),
  column('m5', 'Nowhere', 'mirror', { linkColumn: 'lost', sourceColumn: 'p' }),
]);
const linked = [{ boardId: issues.id, columns: issues.columns }] as BoardHead['linked'];
const picker = { role: 'value', label: 'Number column', settings: {}, cols: {}, answer: undefined };

it('a mirror is mapped as what it shows', () => {
  const seen = withResults(withSources(projects, linked));
  expect(seen.columns.map(({ type }) => type)).toEqual([
    'itemLink',
    'itemLink',
    'number',
    'date',
    'status',
    'mirror',
    'mirror',
  ]);
  expect(seen.columns[2]).toMatchObject({ id: 'm1', title: 'Effort', settings: { unit: 'pts' } });
  expect(seen.columns[4]?.settings.labels?.[0]?.text).toBe('Open');
  expect(withSources(issues, [])).toEqual(issues);
});

it('the chooser says why a mirror cannot be chosen', async () => {
  const seen = withSources(projects, linked);
  const onChange = vi.fn();
  const { unmount } = render(
    <ColumnPicker
      {...picker}
      roles={[role('value', 'number')]}
      cols={{ value: { projects: ['m1'] } }}
      onChange={onChange}
      boards={[seen]}
    />,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: /Effort/ }));
  const lost = screen.getByRole('option', { name: /Nothing/ });
  expect(lost.getAttribute('aria-disabled')).toBe('true');
  expect(lost.textContent).toContain('The mirrored column was deleted');
  await user.click(lost);
  expect(onChange).not.toHaveBeenCalled();
  unmount();
  render(<ColumnPicker {...picker} roles={[role('value', 'rating')]} onChange={onChange} boards={[seen]} />);
  expect(screen.getByText('No column of this type. Nothing, Nowhere: the mirrored column was deleted.')).toBeTruthy();
});
