import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { INSTRUCTIONS } from './data';

const ui: FeatureUi = {
  name: 'instructions',
  routes: [{ path: '/instruction-files', component: lazy(() => import('./InstructionFilesPage')) }],
  commands: [
    {
      id: 'instructions.open',
      label: 'Instruction files',
      group: 'Go to',
      icon: 'file',
      keywords: 'agents.md rules sync copies mirrors',
      path: '/instruction-files',
    },
  ],
  news: { 'instruction-files-changed': () => [INSTRUCTIONS] },
};

export default ui;
