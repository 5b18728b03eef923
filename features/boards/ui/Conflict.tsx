/** Handles two people editing one cell: no value is overwritten without being seen. */
import { useState, type ComponentProps } from 'react';
import { CellEditor } from './CellEditor';
import type { CellValue } from './data';

type EditorProps = Omit<ComponentProps<typeof CellEditor>, 'onCommit'> & {
  onCommit: (value: CellValue, was: CellValue) => void;
};

/** A cell editor that remembers the cell's value from when editing began. */
export function CellBeingEdited({ onCommit, ...props }: EditorProps) {
  const [was] = useState(props.value);
  return <CellEditor {...props} onCommit={(value) => onCommit(value, was)} />;
}
