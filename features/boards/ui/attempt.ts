/** Something that the program is asked for, after which the page reads what has changed. A refusal is said and goes no further. */
import { toast } from '@shell/components';

export const attempt = (follow: () => Promise<unknown>) => async (run: () => Promise<unknown>, failed: string) => {
  try {
    await run();
    await follow();
  } catch (failure) {
    toast.problem(failed, failure);
  }
};
