import type { FeatureUi } from '@shell/feature';

const ui: FeatureUi = { name: 'terminals', routes: [] };

export default ui;
