import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { CellBeingEdited } from './Conflict';
import type { CellValue, Column } from './data';

const text: Column = { id: 'c2', title: 'Note', type: 'text', settings: {} };

it('remembers what the cell held when editing began, whatever arrives meanwhile', async () => {
  const onCommit = vi.fn();
  let arrive: (value: CellValue) => void = () => undefined;
  function Cell() {
    const [value, setValue] = useState<CellValue>('old');
    arrive = setValue;
    return (
      <CellBeingEdited
        column={text}
        value={value}
        members={[]}
        typed={null}
        label="Note"
        onCommit={onCommit}
        onDone={() => undefined}
      />
    );
  }
  render(<Cell />);
  await userEvent.type(screen.getByRole('textbox'), '!');
  arrive('theirs');
  await userEvent.keyboard('{Enter}');
  expect(onCommit).toHaveBeenCalledWith(expect.any(String), 'old');
});
