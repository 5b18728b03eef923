import { useState } from 'react';
import { Button } from '@shell/components';
import type { Saved } from '../draft/draft';
import { PublishDialog } from './PublishDialog';

/** Opens the dialog that publishes a dashboard. */
export function PublishButton({ id, name, saved }: { id: string; name: string; saved: Saved }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="upload" onPress={() => setOpen(true)}>
        Publish to web
      </Button>
      {isOpen && <PublishDialog id={id} name={name} saved={saved} onClose={() => setOpen(false)} />}
    </>
  );
}
