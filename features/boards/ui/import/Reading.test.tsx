import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { asked, type Preview } from './importing';
import { Reading } from './Reading';

const preview: Preview = {
  tool: null,
  encoding: 'windows-1252',
  delimiter: ';',
  quote: '"',
  sheets: [],
  notes: [],
  hasHeader: true,
  rowsEstimated: 2,
  rowsTaken: 2,
  misfitRows: 0,
  columns: [],
  problems: [],
  update: null,
};

/** Searching by role measures every element, which takes its time. */
const control = (label: string) =>
  screen.getByText(label, { selector: '.field-label' }).closest('.field')!.querySelector('button')!;

it.each([
  ['Encoding', 'windows-1252 (Western Europe)', 'macintosh (classic Mac OS)', { encoding: 'macintosh' }],
  ['Column separator', 'Semicolons', 'Tabs', { delimiter: '\t' }],
  ['Text quotes', 'Double quotes "', "Single quotes '", { quote: "'" }],
])('%s is shown as it was found and can be corrected', async (label, found, other, chosen) => {
  const onChoose = vi.fn();
  render(<Reading preview={preview} onChoose={onChoose} />);
  expect(control(label).textContent).toContain(found);
  await userEvent.click(control(label));
  await userEvent.click(screen.getByText(other, { selector: '.list-text span' }));
  expect(onChoose).toHaveBeenCalledExactlyOnceWith(chosen);
});

it('what no list has is shown as it stands', () => {
  render(<Reading preview={{ ...preview, encoding: 'ISO-8859-4', delimiter: '#' }} onChoose={() => {}} />);
  expect(control('Encoding').textContent).toContain('ISO-8859-4');
  expect(control('Column separator').textContent).toContain('#');
});

it('a workbook has titles or none, and records of JSON nothing to correct', () => {
  const onChoose = vi.fn();
  const { rerender, container } = render(
    <Reading preview={{ ...preview, delimiter: '', quote: null, sheet: 'One' }} onChoose={onChoose} />,
  );
  expect(container.querySelector('button')).toBeNull();
  fireEvent.click(screen.getByLabelText('First row has titles'));
  expect(onChoose).toHaveBeenCalledExactlyOnceWith({ header: false });
  rerender(<Reading preview={{ ...preview, delimiter: '', quote: null }} onChoose={() => {}} />);
  expect(container.textContent).toBe('');
});

it('what is corrected goes along with the preview and the import', () => {
  expect(asked({ header: false, encoding: 'macintosh', delimiter: '\t', quote: 'none' }, [])).toEqual({
    header: 'false',
    encoding: 'macintosh',
    delimiter: '\t',
    quote: 'none',
  });
});
