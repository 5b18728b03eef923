import { Dialog } from '@shell/components';
import type { Setting } from '@shell/settings';

/** The record as the program gives it. */
export function JsonDialog({ setting, onClose }: { setting: Setting; onClose: () => void }) {
  return (
    <Dialog title={setting.key} isOpen onClose={onClose} size="medium">
      <pre className="record" tabIndex={0} aria-label={`Record of ${setting.title}`}>
        {JSON.stringify(setting, null, 2)}
      </pre>
    </Dialog>
  );
}
