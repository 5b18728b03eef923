import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Setting } from '@shell/settings';
import records from '@shell/testing/settings.json';
import { RestartBar } from './RestartBar';
import { Row } from './Row';

/** A setting that was changed and waits, for what the codes say. */
const waiting = (key: string, ...codes: string[]): Setting => ({
  ...(records as unknown as Setting[]).find((one) => one.key === key)!,
  modified: true,
  pendingRestart: true,
  effect: { active: false, reasons: codes.map((code) => ({ code, detail: `Because of ${code}.` })) } as Setting['effect'],
});
const obeyed = waiting('cliServerEnabled', 'restart-pending');
const unbuilt = waiting('sessionStoreV2Enabled', 'not-built-yet', 'restart-pending');

it('the bar names what a restart brings about, and nothing that nothing obeys', () => {
  const { container, rerender } = render(<RestartBar settings={[obeyed, unbuilt]} />);
  const names = screen.getByRole('region', { name: 'Restart to apply' }).textContent;
  expect([names.includes(obeyed.title), names.includes(unbuilt.title)]).toEqual([true, false]);
  rerender(<RestartBar settings={[unbuilt]} />);
  expect(container.textContent).toBe('');
});

it.each([
  [obeyed, true],
  [unbuilt, false],
])('a row promises a restart only where that is all that is missing', (setting, isPromised) => {
  const { container } = render(<Row setting={setting} isActive onActivate={vi.fn()} onChange={vi.fn()} onHistory={vi.fn()} onJson={vi.fn()} />);
  expect(screen.queryByText('Restart to apply') !== null).toBe(isPromised);
  const note = container.querySelector('.row-effect')!.textContent;
  expect([note.includes('restart it to apply'), note.includes('Because of not-built-yet.')]).toEqual([isPromised, !isPromised]);
});
