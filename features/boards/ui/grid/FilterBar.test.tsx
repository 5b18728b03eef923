import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { InertRule, Rule } from '@shell/engine/types';
import { FilterBar } from './FilterBar';
import { fieldsOf, whyInert } from './rules';

const fields = fieldsOf([{ id: 'c1', title: 'Points', type: 'number', settings: {} }], []);
const rule = (value?: unknown): Rule => ({ id: 'r1', col: { by: 'ids', ids: { b: ['c1'] } }, op: '=', ...(value === undefined ? {} : { value }) });
const wrong: readonly InertRule[] = [{ id: 'r1', reason: 'wrong-value' }];
const draw = (one: Rule, onFilter = vi.fn()) => {
  render(
    <FilterBar board="b" fields={fields} members={[]} filter={{ v: 1, people: null, all: [one] }} onFilter={onFilter} search="" onSearch={() => undefined} inert={wrong} matching={3} of={3} isOpen onOpen={() => undefined} />,
  );
  return onFilter;
};

it('calls no value wrong before there is one', () => {
  draw(rule());
  expect(screen.queryByText('The value does not fit')).toBeNull();
  for (const value of ['', null, [], [1, null], ['']]) expect(whyInert(rule(value), wrong)).toBeUndefined();
  expect(whyInert(rule('five'), wrong)).toBe('The value does not fit');
  expect(whyInert(rule(), [{ id: 'r1', reason: 'unknown-column' }])).toBe('No such column any more');
});

it('leaves a rule out by a switch that says whether it is used', async () => {
  const onFilter = draw(rule('five'));
  expect(screen.getByText('The value does not fit')).toBeTruthy();
  const use = screen.getByRole<HTMLInputElement>('switch', { name: 'Use rule 1' });
  expect(use.checked).toBe(true);
  await userEvent.setup().click(use);
  expect(onFilter.mock.calls).toEqual([[{ v: 1, people: null, all: [{ ...rule('five'), off: true }] }]]);
});
