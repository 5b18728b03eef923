/** Asks before the page is left while something would be lost with it, whatever page that shows. */

const owners = new Set<object>();
const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/** Whether something of `owner` would be lost now. */
export function askBeforeLeaving(owner: object, isUnsaved: boolean): void {
  if (isUnsaved) owners.add(owner);
  else owners.delete(owner);
  // Browsers cache no page that listens for this.
  if (owners.size > 0) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}
