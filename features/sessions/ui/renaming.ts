/** The session that is being renamed from anywhere in the app. */
import { shared } from '@shell/shared';

/** A session with the title it has so far. */
export interface Renamed {
  id: string;
  title: string;
}

/** Opens the dialog for a session, or closes it. `useRenamed` has the session whose dialog is open. */
export const { set: rename, use: useRenamed } = shared<Renamed | null>(null);
