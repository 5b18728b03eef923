import { Page } from '@shell/components';

export default function SettingsPage() {
  return <Page title="Settings">{null}</Page>;
}
