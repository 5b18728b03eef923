/** Moving a thing within a list. */

/** The list with the thing at `from` at `to`, counted after it was taken out. */
export function reordered<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  const [moved] = next.splice(from, 1);
  if (moved !== undefined) next.splice(to, 0, moved);
  return next;
}

/** Drop index of something dragged to `x` in a row of elements, not counting the dragged one. */
export function placeAt(x: number, boxes: readonly { left: number; right: number }[], from: number): number {
  const others = boxes.filter((_, at) => at !== from);
  const next = others.findIndex((box) => x < (box.left + box.right) / 2);
  return next < 0 ? others.length : next;
}
