/** Shows the count in the tab's title, opens the queue by key, and draws the dialog over any page. */
import { lazy, Suspense, useEffect } from 'react';
import { toast } from '@shell/components';
import { useShortcuts } from '@shell/shortcuts';
import { setTitleCount } from '@shell/title';
import { showNeed, useNeeds, useShownNeed } from './data';

const NeedDialog = lazy(() => import('./NeedDialog'));

export function NeedsListener() {
  const { data: needs } = useNeeds();
  const shown = useShownNeed();
  const count = needs?.length ?? 0;
  useEffect(() => setTitleCount(count), [count]);
  useShortcuts('Everywhere', [
    {
      keys: 'g n',
      label: 'Show requests and alerts',
      run: () => {
        const first = needs?.[0];
        if (first) showNeed(first.id);
        else toast.done('Nothing needs you');
      },
    },
  ]);
  return <Suspense>{shown !== null && <NeedDialog id={shown} />}</Suspense>;
}
