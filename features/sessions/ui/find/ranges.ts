/** The matches of a search in the document, and their highlights. */

/** What isn't part of the transcript's text. */
const LEFT_OUT = '[data-unsearched], .sr-only, .copy-button, .btn, [aria-hidden="true"]';
/** Elements within a line of text. */
const INLINE = new Set(['A', 'B', 'CODE', 'EM', 'I', 'S', 'SPAN', 'STRONG']);

/** The pattern of what was typed; null without any. */
export function patternOf(query: string): RegExp | null {
  if (query.trim() === '') return null;
  return new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu');
}

function blockOf(node: Node): Element | null {
  let element = node.parentElement;
  while (element && INLINE.has(element.tagName)) element = element.parentElement;
  return element;
}

/** The matches in an element. A match never goes over the end of a line or a block. */
export function rangesIn(element: Element, pattern: RegExp): Range[] {
  const nodes: { node: Text; from: number }[] = [];
  let whole = '';
  let block: Element | null = null;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(LEFT_OUT) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!(node instanceof Text)) {
      if (node instanceof HTMLBRElement) whole += '\n';
      continue;
    }
    const within = blockOf(node);
    if (within !== block) whole += '\n';
    block = within;
    nodes.push({ node, from: whole.length });
    whole += node.data;
  }
  // The node that has a position; `isEnd` for a position after the last character.
  const pointAt = (position: number, isEnd: boolean) => {
    const at = nodes.findLastIndex(({ from }) => (isEnd ? from < position : from <= position));
    const { node, from } = nodes[at]!;
    return [node, Math.min(node.length, position - from)] as const;
  };
  return [...whole.matchAll(pattern)].map(({ index, 0: found }) => {
    const range = document.createRange();
    range.setStart(...pointAt(index, false));
    range.setEnd(...pointAt(index + found.length, true));
    return range;
  });
}

/** The position of a match on the screen. Where a browser has none for ranges, that of its element. */
export const boxOf = (range: Range): DOMRect =>
  typeof range.getBoundingClientRect === 'function'
    ? range.getBoundingClientRect()
    : range.startContainer.parentElement!.getBoundingClientRect();

/** Scrolls the boxes between a match and the transcript, such as long code blocks, so that it's in view. */
export function scrollWithin(range: Range, outer: Element) {
  for (let box = range.startContainer.parentElement; box && box !== outer; box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight + 1 && box.scrollWidth <= box.clientWidth + 1) continue;
    if (getComputedStyle(box).overflow === 'visible') continue;
    const [match, seen] = [boxOf(range), box.getBoundingClientRect()];
    if (match.top < seen.top || match.bottom > seen.bottom)
      box.scrollTop += match.top - seen.top - (seen.height - match.height) / 2;
    if (match.left < seen.left || match.right > seen.right)
      box.scrollLeft += match.left - seen.left - (seen.width - match.width) / 2;
  }
}

const FOUND = 'transcript-found';
const CURRENT = 'transcript-current';

/**
 * Highlights ranges without changing the document, which belongs to React. Browsers that can't do it still have the
 * mark of the current row.
 */
export function highlight(found: readonly Range[], current: Range | null) {
  if (typeof Highlight === 'undefined' || !CSS.highlights) return;
  if (found.length === 0) CSS.highlights.delete(FOUND);
  else CSS.highlights.set(FOUND, new Highlight(...found));
  if (!current) return void CSS.highlights.delete(CURRENT);
  const top = new Highlight(current);
  top.priority = 1;
  CSS.highlights.set(CURRENT, top);
}
