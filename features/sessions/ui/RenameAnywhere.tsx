import { lazy, Suspense } from 'react';
import { useSessionActions } from './data';
import { rename, useRenamed } from './renaming';

const RenameDialog = lazy(() => import('./RenameDialog').then(({ RenameDialog }) => ({ default: RenameDialog })));

/** Shows the dialog that renames a session chosen in the palette. */
export function RenameAnywhere() {
  const session = useRenamed();
  const { change } = useSessionActions();
  if (!session) return null;
  return (
    <Suspense fallback={null}>
      <RenameDialog
        key={session.id}
        title={session.title}
        onClose={() => rename(null)}
        onSave={(title) => change(session.id, { title })}
      />
    </Suspense>
  );
}
