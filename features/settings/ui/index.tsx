import { lazy } from 'react';
import type { Command, FeatureUi } from '@shell/feature';
import { isPlanned, useSettings } from '@shell/settings';

/** Every setting that has an effect in this version, by name and key. */
function useSettingCommands(): Command[] {
  const { data } = useSettings();
  return (data?.settings ?? [])
    .filter((setting) => !isPlanned(setting))
    .map((setting) => ({
      id: `settings.${setting.key}`,
      label: setting.title,
      group: 'Settings',
      icon: 'settings',
      detail: setting.description,
      keywords: `${setting.key} ${setting.alsoCalled ?? ''}`,
      path: `/settings?key=${encodeURIComponent(setting.key)}`,
      isLast: true,
    }));
}

const ui: FeatureUi = {
  name: 'settings',
  nav: [{ order: 1000, label: 'Settings', icon: 'settings', path: '/settings', place: 'foot' }],
  routes: [{ path: '/settings', component: lazy(() => import('./SettingsPage')) }],
  firstSteps: { order: 90, component: lazy(() => import('./HeardAbout')) },
  useCommands: useSettingCommands,
  shortcuts: [{ keys: 'g s', label: 'Go to settings', path: '/settings' }],
};

export default ui;
