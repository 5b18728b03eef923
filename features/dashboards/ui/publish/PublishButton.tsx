import { useState } from 'react';
import { Button } from '@shell/components';
import { PublishDialog } from './PublishDialog';

/** Opens the dialog that publishes a dashboard. `isSaved`: nothing of it waits to be saved. */
export function PublishButton({ id, name, isSaved }: { id: string; name: string; isSaved: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="upload" onPress={() => setOpen(true)}>
        Publish to web
      </Button>
      {isOpen && <PublishDialog id={id} name={name} isSaved={isSaved} onClose={() => setOpen(false)} />}
    </>
  );
}
