/** Wraps every board page: applies the setting that hides boards, and their theme. */
import type { ComponentType } from 'react';
import { Link } from 'wouter';
import { EmptyState, Page } from '@shell/components';
import { useSetting } from '@shell/settings';
import { useBoardTheme } from './display';

/** The page while project boards are on; else why it is not shown, and how it comes back. */
export function gated(Shown: ComponentType): ComponentType {
  return function Gated() {
    // While settings are not known the page is shown, like its entry in the navigation.
    const isOff = useSetting('projectBoardsEnabled') === false;
    return isOff ? <Off /> : <Themed Shown={Shown} />;
  };
}

function Themed({ Shown }: { Shown: ComponentType }) {
  useBoardTheme();
  return <Shown />;
}

function Off() {
  return (
    <Page title="Project boards">
      <EmptyState
        icon="board"
        title="Project boards are off"
        action={<Link href="/settings?key=projectBoardsEnabled">View setting</Link>}
      >
        Turn on the “Project boards” setting to show your boards. Scripts can still read them.
      </EmptyState>
    </Page>
  );
}
