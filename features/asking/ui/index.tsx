import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { ASKS } from './data';

const ui: FeatureUi = {
  name: 'asking',
  routes: [
    { path: '/asks/:id', component: lazy(() => import('./AskPage')) },
    { path: '/secrets', component: lazy(() => import('./SecretsPage')) },
  ],
  commands: [
    {
      id: 'secrets.open',
      label: 'Secrets',
      group: 'Go to',
      icon: 'star',
      keywords: 'keys passwords keychain values tokens',
      run: ({ navigate }) => navigate('/secrets'),
    },
  ],
  sessionCards: lazy(() => import('./SessionCards')),
  // Each request has an inbox row that changes with it.
  news: { 'inbox-row-changed': () => [ASKS] },
};

export default ui;
