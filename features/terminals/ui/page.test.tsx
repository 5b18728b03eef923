import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import TerminalsPage from './TerminalsPage';

it('explains what appears here while there is nothing', () => {
  render(<TerminalsPage />);
  expect(screen.getByRole('heading', { name: 'Terminals' })).toBeTruthy();
  expect(screen.getByText('Entries of Terminals appear here.')).toBeTruthy();
});
