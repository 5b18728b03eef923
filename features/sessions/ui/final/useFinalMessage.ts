/** The switch "Show only the final message", which belongs to the browser, and its settings. */
import { useMemo } from 'react';
import { usePreference } from '@shell/preferences';
import type { Command } from '@shell/feature';
import { useSetting } from '@shell/settings';
import type { FinalOptions } from './final';

export const FINAL_MESSAGE_LABEL = 'Show only the final message';

/** Whether the switch is on, and how to change it. */
export function useFinalSwitch(): readonly [boolean, (isOn: boolean) => void] {
  const [stored, store] = usePreference('finalMessage');
  return [stored === 'only', (isOn) => store(isOn ? 'only' : null)];
}

export function useFinalOptions(): FinalOptions {
  const [isOn] = useFinalSwitch();
  const boundaryWins = useSetting('finalMessageCliBoundaryWins') ?? false;
  const alwaysHides = useSetting('finalMessageMarkerAlwaysHide') ?? true;
  const isDebug = useSetting('finalMessageMarkerDebug') ?? false;
  const showsAllBlocks = useSetting('finalMessageMarkerShowAllBlocks') ?? true;
  const hasFloor = useSetting('finalMessageStructuralFloor') ?? true;
  return useMemo(
    () => ({ isOn, boundaryWins, alwaysHides, isDebug, showsAllBlocks, hasFloor }),
    [isOn, boundaryWins, alwaysHides, isDebug, showsAllBlocks, hasFloor],
  );
}

/** The switch in the palette. */
export function useFinalCommand(): Command {
  const [isOn, setOn] = useFinalSwitch();
  return {
    id: 'sessions.finalMessage',
    label: isOn ? 'Show all messages and steps' : FINAL_MESSAGE_LABEL,
    group: 'Commands',
    icon: 'eye',
    keywords: 'transcript fold hide answer tool calls thinking only final message',
    run: () => setOn(!isOn),
  };
}
