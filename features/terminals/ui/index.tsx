import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';

const ui: FeatureUi = {
  name: 'terminals',
  routes: [],
  sessionPanel: {
    label: 'Terminal',
    icon: 'session',
    keys: 'Mod+`',
    component: lazy(() => import('./TerminalPanel')),
  },
};

export default ui;
