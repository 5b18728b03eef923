/** The files of a cell of the table, over the page. */
import { Button, Dialog } from '@shell/components';
import type { Attachment } from '../data';
import type { FileCell } from './data';
import { Files } from './Files';

interface FilesDialogProps {
  cell: FileCell;
  /** The column's title. */
  label: string;
  /** The item's name. */
  name: string;
  files: readonly Attachment[];
  dropped?: readonly File[];
  onChanged: () => Promise<unknown>;
  onClose: () => void;
}

export function FilesDialog({ name, onClose, ...files }: FilesDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`${files.label} of ${name}`}
      size="medium"
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <Files {...files} />
    </Dialog>
  );
}
