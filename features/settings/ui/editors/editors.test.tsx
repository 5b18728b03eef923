import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { Json, Setting } from '@shell/settings';
import records from '@shell/testing/settings.json';
import type { Refusal } from '../data';
import { Editor } from './Editor';

const settings = records as unknown as Setting[];

/** Shows the editor of a setting that keeps what it is given, unless `refuse` says why not. */
function show(key: string, value?: Json, refuse?: (value: Json) => Refusal) {
  const setting = settings.find((s) => s.key === key);
  if (!setting) throw new Error(key);
  const commit = vi.fn<(value: Json) => void>();
  let set = (_: Json) => {};
  function Held({ setting: { schema, title, unit } }: { setting: Setting }) {
    const [held, setHeld] = useState(value === undefined ? setting!.value : value);
    set = setHeld;
    return (
      <Editor
        schema={schema}
        value={held}
        label={title}
        unit={unit}
        onCommit={async (next) => {
          commit(next);
          const before = held;
          setHeld(next);
          await Promise.resolve();
          const reason = refuse?.(next) ?? null;
          if (reason) setHeld(before);
          return reason;
        }}
      />
    );
  }
  render(<Held setting={setting} />);
  return { commit, user: userEvent.setup(), setElsewhere: (next: Json) => act(() => set(next)) };
}

describe('editors', () => {
  it('toggle: saves at once', async () => {
    const { commit, user } = show('alarmsEnabled');
    await user.click(screen.getByRole('switch', { name: 'Alarms' }));
    expect(commit).toHaveBeenCalledExactlyOnceWith(false);
  });

  it('toggle: goes back with the reason', async () => {
    const { user } = show('alarmsEnabled', true, () => 'Not while an alarm rings.');
    await user.click(screen.getByRole('switch'));
    expect(await screen.findByText('Not while an alarm rings.')).toBeDefined();
    expect(screen.getByRole<HTMLInputElement>('switch').checked).toBe(true);
  });

  it('number: saves on leaving the field', async () => {
    const { commit, user } = show('sessionCpuCapPercent');
    const field = screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Session CPU cap percent' });
    await user.clear(field);
    await user.type(field, '75');
    expect(commit).not.toHaveBeenCalled();
    await user.tab();
    expect(commit).toHaveBeenCalledExactlyOnceWith(75);
  });

  it.each(['95', '52', '60.5', '-30'])(
    'number: %s stays in the field with the reason and is not sent',
    async (text) => {
      const { commit, user } = show('sessionCpuCapPercent');
      const field = screen.getByRole<HTMLInputElement>('spinbutton');
      await user.clear(field);
      await user.type(field, text);
      await user.tab();
      expect(field.value).toBe(text);
      expect(screen.getByText('Enter a whole number from 25 to 90, in steps of 5.')).toBeDefined();
      expect(commit).not.toHaveBeenCalled();
    },
  );

  it('number: what is no number stays in the field and says so', async () => {
    const { commit, user } = show('sessionCpuCapPercent');
    const field = screen.getByRole<HTMLInputElement>('spinbutton');
    await user.clear(field);
    await user.type(field, '6o{Enter}');
    expect(field.value).toBe('6o');
    expect(screen.getByText('Enter a number, such as 12 or 7.5.')).toBeDefined();
    await user.keyboard('{Escape}');
    expect(field.value).toBe('60');
    expect(screen.queryByText(/Enter a number/)).toBeNull();
    expect(commit).not.toHaveBeenCalled();
  });

  it.each([
    ['7,5', 7.5],
    ['7.5', 7.5],
    ['1,000', 1000],
  ])('number: %s is saved as what it says', async (typed, saved) => {
    const { commit, user } = show('frictionTriageCostCapUsd');
    const field = screen.getByRole<HTMLInputElement>('spinbutton');
    await user.clear(field);
    await user.type(field, typed);
    await user.tab();
    expect(commit).toHaveBeenCalledExactlyOnceWith(saved);
  });

  it('number: several steps are one change', async () => {
    const { commit, user } = show('toastDisplayDurationSeconds');
    await user.click(screen.getByRole('button', { name: /Increase/ }));
    await user.click(screen.getByRole('button', { name: /Increase/ }));
    await user.click(document.body);
    await waitFor(() => expect(commit).toHaveBeenCalledExactlyOnceWith(10));
  });

  it('number: Escape takes back what was typed', async () => {
    const { commit, user } = show('toastDisplayDurationSeconds');
    const field = screen.getByRole<HTMLInputElement>('spinbutton');
    await user.clear(field);
    await user.type(field, '99{Enter}');
    await screen.findByText('Enter a whole number from 3 to 30.');
    await user.keyboard('{Escape}');
    expect(field.value).toBe('8');
    expect(screen.queryByText('Enter a whole number from 3 to 30.')).toBeNull();
    expect(commit).not.toHaveBeenCalled();
  });

  it('select: shows what each choice means', async () => {
    const { commit, user } = show('agentPermissionLevel');
    await user.click(screen.getByRole('button', { name: /Agent permission level/ }));
    await user.click(screen.getByRole('option', { name: /autonomous.*Asks only before it touches sensitive files/ }));
    expect(commit).toHaveBeenCalledExactlyOnceWith('autonomous');
  });

  it('select: numbers stay numbers', async () => {
    const { commit, user } = show('alarmsDefaultSnoozeMinutes');
    await user.click(screen.getByRole('button', { name: /Alarms default snooze/ }));
    await user.click(screen.getByRole('option', { name: '15' }));
    expect(commit).toHaveBeenCalledExactlyOnceWith(15);
  });

  it('text: Enter saves, and a refused text stays with its reason', async () => {
    const { commit, user } = show('heardAboutUs', '', (value) => (value === 'Ana' ? 'Name a place.' : null));
    const field = screen.getByRole<HTMLInputElement>('textbox');
    await user.type(field, 'Ana{Enter}');
    expect(await screen.findByText('Name a place.')).toBeDefined();
    expect(field.value).toBe('Ana');
    await user.clear(field);
    await user.type(field, 'A fair{Enter}');
    expect(commit).toHaveBeenLastCalledWith('A fair');
    await waitFor(() => expect(screen.queryByText('Name a place.')).toBeNull());
  });

  it('text: too long is not cut but refused', async () => {
    const { commit, user } = show('heardAboutUs');
    await user.click(screen.getByRole('textbox'));
    await user.paste('x'.repeat(65));
    await user.tab();
    expect(screen.getByText('Use at most 64 characters; this has 65.')).toBeDefined();
    expect(commit).not.toHaveBeenCalled();
  });

  it('text: a counter shows how many characters are used, and says so where they are too many', async () => {
    const { user } = show('heardAboutUs', 'A 👩‍🚀');
    // Characters as the program counts them: this one is made of three.
    expect(screen.getByText('5 / 64').getAttribute('aria-live')).toBe('off');
    await user.click(screen.getByRole('textbox'));
    await user.paste('x'.repeat(60));
    expect(screen.getByText('65 / 64').getAttribute('aria-live')).toBe('polite');
  });

  it('long text: its counter stands below', () => {
    show('mailclientAiSummaryPrompt', 'One\nTwo');
    expect(screen.getByText(/^7 of [0-9,]+ characters$/)).toBeDefined();
  });

  it('text: what is no free text has no counter', () => {
    show('pmInboxQuietHoursStart');
    expect(screen.queryByText(/\d \/ \d/)).toBeNull();
  });

  it('text: emptied, a nullable one is not set', async () => {
    const { commit, user } = show('initialTitleModel', 'small');
    await user.clear(screen.getByRole('textbox'));
    await user.tab();
    expect(commit).toHaveBeenCalledExactlyOnceWith(null);
  });

  it('text: time of day', async () => {
    const { commit, user } = show('pmInboxQuietHoursStart');
    const field = screen.getByRole('textbox');
    await user.clear(field);
    await user.type(field, '25:00{Enter}');
    expect(screen.getByText(/Enter a time of day/)).toBeDefined();
    await user.clear(field);
    await user.type(field, '07:30{Enter}');
    expect(commit).toHaveBeenCalledExactlyOnceWith('07:30');
  });

  it('long text: Enter is a new line, leaving saves', async () => {
    const { commit, user } = show('mailclientAiSummaryPrompt');
    await user.type(screen.getByRole('textbox'), 'One{Enter}Two');
    expect(commit).not.toHaveBeenCalled();
    await user.tab();
    expect(commit).toHaveBeenCalledExactlyOnceWith('One\nTwo');
  });

  it('list of choices: adds what is left, moves and removes', async () => {
    const { commit, user } = show('postSendNavigation', ['stay', 'waiting_room']);
    await user.click(screen.getByRole('button', { name: 'Move waiting_room up' }));
    expect(commit).toHaveBeenLastCalledWith(['waiting_room', 'stay']);
    await user.click(screen.getByRole('button', { name: /Add to/ }));
    expect(screen.queryByRole('option', { name: /^stay/ })).toBeNull();
    await user.click(screen.getByRole('option', { name: /^next_in_inbox/ }));
    expect(commit).toHaveBeenLastCalledWith(['waiting_room', 'stay', 'next_in_inbox']);
    await user.click(screen.getByRole('button', { name: 'Remove stay' }));
    expect(commit).toHaveBeenLastCalledWith(['waiting_room', 'next_in_inbox']);
  });

  it('list of text: refuses what is there already and what is not accepted', async () => {
    const { commit, user } = show('messengerBotAllowedGroupIds', ['7']);
    const field = screen.getByRole('textbox');
    await user.type(field, '7{Enter}');
    expect(screen.getByText('Already in the list.')).toBeDefined();
    await user.clear(field);
    await user.type(field, 'x{Enter}');
    expect(screen.getByText('Use digits, with an optional leading minus sign.')).toBeDefined();
    await user.clear(field);
    await user.type(field, '-100{Enter}');
    expect(commit).toHaveBeenCalledExactlyOnceWith(['7', '-100']);
  });

  it('list of objects: an entry is kept back until it has what it must have', async () => {
    const { commit, user } = show('trustedSheets');
    await user.click(screen.getByRole('button', { name: 'Add entry' }));
    await user.type(screen.getByRole('textbox', { name: 'Label' }), 'Budget{Enter}');
    expect(screen.getByText('Saved once it has the spreadsheet id.')).toBeDefined();
    expect(commit).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Remove entry 1' }));
    expect(screen.queryByRole('textbox', { name: 'Label' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Add entry' }));
    await user.type(screen.getByRole('textbox', { name: 'Spreadsheet id' }), 's{Enter}');
    expect(commit).toHaveBeenCalledExactlyOnceWith([{ spreadsheetId: 's' }]);
    expect(screen.getAllByRole('textbox', { name: 'Label' })).toHaveLength(1);
    expect(screen.queryByText(/^Saved once/)).toBeNull();
  });

  it('list of objects: an entry that is begun stays when one is added elsewhere', async () => {
    const { commit, user, setElsewhere } = show('trustedSheets');
    await user.click(screen.getByRole('button', { name: 'Add entry' }));
    await user.type(screen.getByRole('textbox', { name: 'Label' }), 'Budget{Enter}');
    setElsewhere([{ spreadsheetId: 'other' }]);
    expect(screen.getByText('Budget')).toBeDefined();
    await user.type(screen.getAllByRole('textbox', { name: 'Spreadsheet id' })[1]!, 's{Enter}');
    expect(commit).toHaveBeenCalledExactlyOnceWith([
      { spreadsheetId: 'other' },
      { label: 'Budget', spreadsheetId: 's' },
    ]);
  });

  it('list of objects: nested fields, left out where empty', async () => {
    const { commit, user } = show('trustedSheets');
    await user.click(screen.getByRole('button', { name: 'Add entry' }));
    await user.type(screen.getByRole('textbox', { name: 'Spreadsheet id' }), 's{Enter}');
    await user.type(screen.getByRole('textbox', { name: 'Label' }), 'Budget{Enter}');
    expect(commit).toHaveBeenLastCalledWith([{ spreadsheetId: 's', label: 'Budget' }]);
    const columns = screen.getByRole('group', { name: 'Editable columns' });
    await user.type(within(columns).getByRole('textbox'), '703{Enter}');
    expect(within(columns).getByText('Enter a whole number from 0 to 702.')).toBeDefined();
    await user.clear(within(columns).getByRole('textbox'));
    await user.type(within(columns).getByRole('textbox'), '3{Enter}');
    expect(commit).toHaveBeenLastCalledWith([{ spreadsheetId: 's', label: 'Budget', editableColumns: [3] }]);
    await user.type(screen.getByRole('spinbutton', { name: 'Subject col' }), '2');
    await user.tab();
    await waitFor(() =>
      expect(commit).toHaveBeenLastCalledWith([
        { spreadsheetId: 's', label: 'Budget', editableColumns: [3], taskView: { subjectCol: 2 } },
      ]),
    );
    await user.click(screen.getByRole('button', { name: 'Remove entry 1' }));
    expect(commit).toHaveBeenLastCalledWith([]);
  });

  it('map: adds, changes and removes', async () => {
    const { commit, user } = show('pmInboxBoardPreferences', { brd_1: 'none' });
    await user.click(screen.getByRole('button', { name: 'Add' }));
    expect(screen.getByText('Enter a name first.')).toBeDefined();
    await user.type(screen.getByRole('textbox'), 'brd_2{Enter}');
    expect(commit).toHaveBeenLastCalledWith({ brd_1: 'none', brd_2: 'all' });
    await user.click(screen.getByRole('button', { name: 'Remove brd_1' }));
    expect(commit).toHaveBeenLastCalledWith({ brd_2: 'all' });
  });

  it('object of toggles: changes one and keeps the others', async () => {
    const { commit, user } = show('dailyDigestSources', { calendar: true, rss: false });
    await user.click(screen.getByRole('checkbox', { name: 'Rss' }));
    expect(commit).toHaveBeenCalledExactlyOnceWith({ calendar: true, rss: true });
  });
});
