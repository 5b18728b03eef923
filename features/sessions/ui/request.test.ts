import { expect, it } from 'vitest';
import { fieldsOf, filled, permissionOf, titleOf } from './request';

it('makes fields of a schema, and one for a text of what is none', () => {
  const fields = fieldsOf({
    type: 'object',
    required: ['name', 'kind'],
    properties: {
      name: { type: 'string', title: 'Name' },
      kind: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
      count: { type: 'integer', minimum: 1 },
      sure: { type: 'boolean', default: true },
      some: { type: 'array', items: { enum: ['x', 'y'] } },
    },
  });
  expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['name', 'text', true],
    ['kind', 'choice', true],
    ['count', 'number', false],
    ['sure', 'yesNo', false],
    ['some', 'several', false],
  ]);
  for (const none of [null, 'x', [], {}, { properties: 3 }]) expect(fieldsOf(none)).toHaveLength(1);
});

it('sends what was filled in, with what stands there from the beginning, and nothing that is empty', () => {
  const fields = fieldsOf({
    required: ['name'],
    properties: {
      name: { type: 'string' },
      note: { type: 'string' },
      sure: { type: 'boolean', default: true },
      count: { type: 'number' },
    },
  });
  expect(filled(fields, { name: 'x' })).toEqual({ value: { name: 'x', sure: true }, missing: [] });
  expect(filled(fields, { name: '' }).missing).toEqual(['name']);
});

it('offers nothing of a kind that it does not know', () => {
  const { offers } = permissionOf({
    tool: {},
    offers: [{ id: '1', name: 'Yes', kind: 'allowOnce' }, { id: '2', name: 'Hm', kind: 'sometimes' }, null],
  });
  expect(offers).toEqual([{ id: '1', name: 'Yes', kind: 'allowOnce' }]);
});

it('names what is asked for', () => {
  expect(titleOf('permission', { tool: { title: 'Run', command: 'rm -r x' } })).toBe('rm -r x');
  expect(titleOf('question', { message: 'Which one?' })).toBe('Which one?');
  expect(titleOf('permission', null)).toBe('Allow this action?');
});
