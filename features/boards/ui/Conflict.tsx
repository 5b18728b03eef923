/** Two people edit one cell: nobody's value is written over without being seen. */
import { useState, type ComponentProps } from 'react';
import { CellEditor } from './CellEditor';
import type { CellValue } from './data';

type EditorProps = Omit<ComponentProps<typeof CellEditor>, 'onCommit'> & {
  onCommit: (value: CellValue, was: CellValue) => void;
};

/** A cell's editor that remembers what the cell held when editing began, whatever arrives meanwhile. */
export function CellBeingEdited({ onCommit, ...props }: EditorProps) {
  const [was] = useState(props.value);
  return <CellEditor {...props} onCommit={(value) => onCommit(value, was)} />;
}
