/** Widgets leave subitems out, say how many, and count them where that is chosen. */
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { BoardInfo, ConnectedBoards } from './boards';
import { EditPanel } from './EditPanel';
import type { Widget } from './model';
import { answerOf, coverage } from './testing';
import { WidgetBody, type WidgetActions } from './WidgetBody';
import { kindOf } from './widgets';

vi.mock('@shell/members', async (original) => ({ ...(await original<object>()), useMembers: () => ({ data: [] }) }));

const board: BoardInfo = { id: 'b1', workspaceId: 'w', name: 'Costs', revision: 1, itemCount: 2, columns: [] };
const boards: ConnectedBoards = {
  infos: [board],
  missing: [],
  isLoading: false,
  failed: [],
  revision: '1',
  retry: () => {},
};
const widget: Widget = {
  id: 'w',
  kind: 'numbers',
  title: 'Items',
  layout: { x: 0, y: 0, w: 3, h: 3 },
  settings: { function: 'count' },
};
const answer = (left: number) =>
  answerOf(
    'numbers',
    { value: 2, text: '2', full: '2', format: {} },
    { coverage: { ...coverage, skippedWhy: left ? [{ reason: 'subitem', items: left }] : [] } },
  );

describe('subitems on a dashboard', () => {
  it('are said to be left out', () => {
    const actions = {} as WidgetActions;
    const draw = (left: number) => (
      <WidgetBody
        widget={widget}
        kind={kindOf('numbers')}
        answer={answer(left)}
        boards={boards}
        boardIds={['b1']}
        error={null}
        actions={actions}
      />
    );
    const { rerender } = render(draw(3));
    screen.getByText('3 subitems not counted');
    rerender(draw(0));
    expect(screen.queryByText(/not counted/)).toBeNull();
  });

  it('are counted where the widget says so', async () => {
    const onSettings = vi.fn();
    render(
      <EditPanel
        widget={widget}
        kind={kindOf('numbers')!}
        configured={{ settings: { function: 'count' }, roles: [], cols: {} }}
        answer={undefined}
        boards={[board]}
        boardIds={[board.id]}
        placeholder=""
        onClose={() => {}}
        onTitle={() => {}}
        onSettings={onSettings}
      />,
    );
    await userEvent.click(screen.getByText('Include subitems'));
    expect(onSettings).toHaveBeenCalledWith({ function: 'count', includeSubitems: true });
  });

  it('are offered where sprints are asked for that only they may have', async () => {
    const change = vi.fn();
    const left = {
      state: { name: 'no-values' as const },
      reasons: ['no-sprints'],
      coverage: { ...coverage, skippedWhy: [{ reason: 'subitem' as const, items: 2 }] },
    };
    const none = answerOf('velocity', undefined, left);
    render(
      <WidgetBody
        widget={{ ...widget, kind: 'velocity' }}
        kind={kindOf('velocity')}
        answer={none}
        boards={boards}
        boardIds={['b1']}
        error={null}
        actions={{ change } as never}
      />,
    );
    screen.getByText(/2 subitems aren't counted/);
    await userEvent.click(screen.getByRole('button', { name: 'Include subitems' }));
    expect(change).toHaveBeenCalledWith({ includeSubitems: true });
  });
});
