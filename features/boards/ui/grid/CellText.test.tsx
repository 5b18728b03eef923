import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Column } from '../data';
import { CellText } from './Row';

it('a number that its column rounds can be read in full', () => {
  const points: Column = { id: 'c1', title: 'Points', type: 'number', settings: { decimals: 1 } };
  render(<CellText column={points} value={0.75} members={[]} place={{ board: 'b', item: 'i', isHere: false }} />);
  expect(screen.getByText('0.8').title).toBe('0.75');
});
