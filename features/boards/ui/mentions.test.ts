import { describe, expect, it } from 'vitest';
import { complete, fromDraft, partsOf, suggest, toDraft, typing } from './mentions';

const ann = { id: 'm-ann', name: 'Ann' };
const annLee = { id: 'm-lee', name: 'Ann Lee' };
const twins = [
  { id: 'm-1', name: 'Kim' },
  { id: 'm-2', name: 'Kim' },
];
const members = [ann, annLee, ...twins];

describe('mentions', () => {
  it('divide a text into words and members', () => {
    expect(partsOf('See @[m-ann], @[m-gone] @[<b>]', members)).toEqual(['See ', ann, ', @[m-gone] @[<b>]']);
    expect(partsOf('', members)).toEqual([]);
  });

  it('are typed by name and stored by id, there and back', () => {
    for (const text of ['@[m-lee] and @[m-ann]: x@y.z', '(@[m-ann])\n@[m-lee]', '@[m-1] or @[m-2]', '@[m-gone] <b>']) {
      expect(fromDraft(toDraft(text, members), members)).toBe(text);
    }
    expect(toDraft('@[m-lee] @[m-1]', members)).toBe('@Ann Lee @[m-1]');
    expect(fromDraft('@Ann Leeward, mail@Ann, @Anna, @Kim', members)).toBe('@[m-ann] Leeward, mail@Ann, @Anna, @Kim');
  });

  it('are suggested while they are typed', () => {
    expect(typing('Ask @an', 7)).toEqual({ from: 4, letters: 'an' });
    expect(typing('Ask @an', 4)).toBeNull();
    expect(typing('mail@an', 7)).toBeNull();
    expect(typing('@[m-ann', 7)).toBeNull();
    expect(typing('@an\nx', 5)).toBeNull();
    expect(suggest('le', members)).toEqual([annLee]);
    expect(suggest('Ann', members)).toEqual([annLee]);
    expect(suggest('', members)).toEqual(members);
    expect(suggest('zz', members)).toEqual([]);
  });

  it('are completed where the caret stands', () => {
    expect(complete('Ask @le today', 7, annLee, members)).toEqual({ draft: 'Ask @Ann Lee today', caret: 13 });
    expect(complete('@k', 2, twins[1]!, members)).toEqual({ draft: '@[m-2] ', caret: 7 });
  });
});
