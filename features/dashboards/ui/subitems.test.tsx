/** Widgets leave subitems out, say how many, and count them where that is chosen. */
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { BoardInfo, ConnectedBoards } from './boards';
import { EditPanel } from './EditPanel';
import type { WidgetAnswer } from './engine';
import type { Widget } from './model';
import { WidgetBody, type WidgetActions } from './WidgetBody';
import { kindOf } from './widgets';

const board: BoardInfo = { id: 'b1', workspaceId: 'w', name: 'Costs', revision: 1, itemCount: 2, columns: [] };
const boards: ConnectedBoards = { infos: [board], missing: [], isLoading: false, failed: [], revision: '1', retry: () => {} };
const widget: Widget = { id: 'w', kind: 'numbers', title: 'Items', layout: { x: 0, y: 0, w: 3, h: 3 }, settings: { fn: 'count' } };
const answer = (subitemsLeft: number): WidgetAnswer => ({
  id: 'w',
  state: 'ok',
  roles: [],
  value: 2,
  text: '2',
  full: '2',
  points: [],
  footnotes: [],
  coverage: { boardsUsed: 1, boardsTotal: 1, itemsUsed: 2, itemsSkipped: 0, skippedWhy: [], subitemsLeft, inertRules: [] },
  approximate: false,
  reasons: [],
});

describe('subitems on a dashboard', () => {
  it('are said to be left out', () => {
    const actions = {} as WidgetActions;
    const draw = (left: number) => <WidgetBody widget={widget} kind={kindOf('numbers')} settings={widget.settings} answer={answer(left)} boards={boards} boardIds={['b1']} error={null} actions={actions} />;
    const { rerender } = render(draw(3));
    screen.getByText('3 subitems not counted');
    rerender(draw(0));
    expect(screen.queryByText(/not counted/)).toBeNull();
  });

  it('are counted where the widget says so', async () => {
    const onSettings = vi.fn();
    render(<EditPanel widget={widget} kind={kindOf('numbers')!} settings={{ fn: 'count' }} boards={[board]} placeholder="" onClose={() => {}} onTitle={() => {}} onSettings={onSettings} />);
    await userEvent.click(screen.getByText('Count subitems too'));
    expect(onSettings).toHaveBeenCalledWith({ fn: 'count', includeSubitems: true });
  });
});
