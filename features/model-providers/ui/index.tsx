import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';

const ui: FeatureUi = {
  name: 'model-providers',
  routes: [
    { path: '/models', component: lazy(() => import('./ModelsPage')) },
    { path: '/usage', component: lazy(() => import('./UsagePage')) },
  ],
  commands: [
    {
      id: 'models.open',
      label: 'Models',
      group: 'Go to',
      icon: 'star',
      keywords: 'providers anthropic openai openrouter ollama lm studio api key utility title digest price',
      path: '/models',
    },
    {
      id: 'usage.open',
      label: 'Usage',
      group: 'Go to',
      icon: 'chart',
      keywords: 'cost spent money tokens budget billing',
      path: '/usage',
    },
  ],
};

export default ui;
