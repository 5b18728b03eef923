import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { NothingMatches, NothingYet } from './Nothing';

describe('a table without items', () => {
  it('says how to begin', async () => {
    const onAdd = vi.fn();
    render(<NothingYet onAdd={onAdd} />);
    await userEvent.setup().click(screen.getByRole('button', { name: 'Add the first item' }));
    expect(onAdd).toHaveBeenCalledOnce();
  });

  it('says that filters hide what there is', async () => {
    const onClear = vi.fn();
    render(<NothingMatches of="240 items" onClear={onClear} />);
    expect(screen.getByText('0 of 240 items match.')).toBeTruthy();
    await userEvent.setup().click(screen.getByRole('button', { name: 'Clear filters' }));
    expect(onClear).toHaveBeenCalledOnce();
  });
});
