import { vi } from 'vitest';
import { signInFromAddress } from '../session';

/** Another signs in on this page. */
export async function signInAnother() {
  const fetch = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{"token":"another"}'));
  history.replaceState(null, '', '#c=once');
  await signInFromAddress();
  fetch.mockRestore();
}
