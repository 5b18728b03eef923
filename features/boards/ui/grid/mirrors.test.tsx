import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { newRule, operatorsOf } from '@shell/filters/rules';
import type { Column } from '../data';
import type { LinkedBoard } from '../links';
import { FilterBar } from './FilterBar';
import { fieldsOf, subjectOf, unaskable } from './rules';

const column = (id: string, title: string, type: Column['type'], settings: Column['settings'] = {}): Column => ({
  id,
  title,
  type,
  settings,
});
const columns = [
  column('link', 'Issues', 'itemLink', { boardId: 'issues' }),
  column('m1', 'Effort', 'mirror', { linkColumn: 'link', sourceColumn: 'p' }),
  column('m2', 'States', 'mirror', { linkColumn: 'link', sourceColumn: 's' }),
  column('m3', 'Lost', 'mirror', { linkColumn: 'link', sourceColumn: 'gone' }),
];
const linked: LinkedBoard[] = [
  {
    boardId: 'issues',
    columns: [
      column('p', 'Points', 'number'),
      column('s', 'State', 'status', { labels: [{ id: 'l', text: 'Open', color: '#4a7fd4', done: false }] }),
    ],
    items: [],
  },
];
const fields = fieldsOf(columns, [], linked);

it('a mirror is asked as what it shows', () => {
  const field = (id: string) => fields.find((one) => one.id === id)!;
  expect(field('m1').family).toBe('number');
  expect(operatorsOf(field('m1')).map(({ op }) => op)).toContain('between');
  expect(field('m2')).toMatchObject({ family: 'label', choices: ['Open'] });
  expect(newRule(subjectOf('b', fields), field('m1'))).toMatchObject({
    col: { by: 'ids', ids: { b: ['m1'] } },
    op: '=',
  });
});

it('a mirror of what is gone is listed with the reason, and cannot be chosen', async () => {
  expect(unaskable(columns, fields)).toEqual([{ id: 'm3', title: 'Lost', why: 'Its source column no longer exists' }]);
  const onFilter = vi.fn();
  const rule = newRule(subjectOf('b', fields), fields[0]!);
  render(
    <FilterBar
      board="b"
      fields={fields}
      unaskable={unaskable(columns, fields)}
      members={[]}
      filter={{ v: 1, people: null, all: [rule] }}
      onFilter={onFilter}
      search=""
      onSearch={() => undefined}
      inert={[]}
      matching={3}
      of={3}
      isOpen
      onOpen={() => undefined}
    />,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: /Column/ }));
  const lost = screen.getByRole('option', { name: /Lost/ });
  expect(lost.getAttribute('aria-disabled')).toBe('true');
  await user.click(lost);
  expect(onFilter).not.toHaveBeenCalled();
  await user.click(screen.getByRole('option', { name: 'Effort' }));
  expect(onFilter.mock.calls[0]?.[0].all).toMatchObject([{ col: { ids: { b: ['m1'] } }, op: '=' }]);
});
