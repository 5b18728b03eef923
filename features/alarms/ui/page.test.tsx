import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import AlarmsPage from './AlarmsPage';

it('explains what appears here while there is nothing', () => {
  render(<AlarmsPage />);
  expect(screen.getByRole('heading', { name: 'Alarms' })).toBeTruthy();
  expect(screen.getByText('Entries of Alarms appear here.')).toBeTruthy();
});
