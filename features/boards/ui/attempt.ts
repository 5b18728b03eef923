/** Runs a request and then reloads the changed data. Errors are shown and not passed on. */
import { toast } from '@shell/components';

export const attempt = (follow: () => Promise<unknown>) => async (run: () => Promise<unknown>, failed: string) => {
  try {
    await run();
    await follow();
  } catch (failure) {
    toast.problem(failed, failure);
  }
};
