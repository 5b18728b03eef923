/** Opens the room palette with Ctrl+Shift+Z on every page. */
import { lazy, Suspense, useState } from 'react';
import { useSetting } from '@shell/settings';
import { useShortcuts } from '@shell/shortcuts';

const RoomPalette = lazy(() => import('./RoomPalette'));

export function RoomKeys() {
  return useSetting('meetingRoomsEnabled') === true ? <Keys /> : null;
}

function Keys() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts('Everywhere', [{ keys: 'Mod+Shift+z', label: 'Join a meeting room', run: () => setOpen(true) }]);
  return <Suspense fallback={null}>{isOpen && <RoomPalette onClose={() => setOpen(false)} />}</Suspense>;
}
