/** The order of the tiles in the document: that in which they are read, by keyboard and by screen readers. */

/** How much is lost where the element is moved: a page in a frame begins anew, the focus goes, all else stays. */
const lost = (element: Element) =>
  element.querySelector('iframe') ? 1_000_000 : element.contains(document.activeElement) ? 1000 : 1;

/** Those that stay where they are: of all that stand in the right order already, the ones with the most to lose. */
function staying(elements: readonly Element[], place: ReadonlyMap<Element, number>): ReadonlySet<Element> {
  type Chain = { at: number; worth: number; last: Element; before: Chain | undefined };
  const chains: Chain[] = [];
  const better = (a: Chain | undefined, b: Chain) => (a && a.worth >= b.worth ? a : b);
  for (const last of elements) {
    const at = place.get(last)!;
    const before = chains.filter((chain) => chain.at < at).reduce<Chain | undefined>(better, undefined);
    chains.push({ at, worth: lost(last) + (before?.worth ?? 0), last, before });
  }
  const stay = new Set<Element>();
  for (let chain = chains.reduce<Chain | undefined>(better, undefined); chain; chain = chain.before)
    stay.add(chain.last);
  return stay;
}

/** Puts children of one element into this order, before any others. */
export function reorder(parent: Element, order: readonly Element[]) {
  const place = new Map(order.map((element, at) => [element, at]));
  const children = [...parent.children];
  const stay = staying(
    children.filter((child) => place.has(child)),
    place,
  );
  const focused = document.activeElement;
  let next = children.find((child) => !place.has(child)) ?? null;
  for (const element of [...order].reverse()) {
    if (!stay.has(element)) parent.insertBefore(element, next);
    next = element;
  }
  if (focused instanceof HTMLElement && parent.contains(focused) && document.activeElement !== focused)
    focused.focus({ preventScroll: true });
}
