import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Grid } from './Grid';
import type { Widget } from './model';

const widget = (id: string, x: number): Widget => ({
  id,
  kind: 'numbers',
  title: id,
  layout: { x, y: 0, w: 3, h: 3 },
  settings: {},
});

it('what stands in the tiles is not drawn again while one of them is carried, and a menu arranges them as they stand then', async () => {
  const content = vi.fn((one: Widget) => <p>{one.id}</p>);
  const onArrange = vi.fn();
  const menu = (
    one: Widget,
    place: (
      change: (box: { x: number; y: number; w: number; h: number }) => { x: number; y: number; w: number; h: number },
    ) => void,
  ) => <button type="button" onClick={() => place((box) => ({ ...box, w: 6 }))}>{`Widen ${one.id}`}</button>;
  render(
    <Grid
      widgets={[widget('a', 0), widget('b', 3)]}
      titleOf={(id) => id}
      edited={null}
      onArrange={onArrange}
      content={content}
      menu={menu}
      head={null}
    />,
  );
  const drawn = content.mock.calls.length;
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Move a' }));
  await user.keyboard('{ArrowRight}{ArrowRight}');
  expect(screen.getByTestId('grid-says').textContent).toContain('a, column 3');
  await user.keyboard('{Enter}');
  expect(content).toHaveBeenCalledTimes(drawn);
  const [dropped] = onArrange.mock.lastCall as [{ id: string; x: number }[]];
  const { x } = dropped.find(({ id }) => id === 'a')!;
  expect(x).toBeGreaterThan(0);
  await user.click(screen.getByRole('button', { name: 'Widen a' }));
  const [widened] = onArrange.mock.lastCall as [{ id: string; x: number; w: number }[]];
  expect(widened.find(({ id }) => id === 'a')).toMatchObject({ x, w: 6 });
});
