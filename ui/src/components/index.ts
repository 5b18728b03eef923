/** Every component, in one import: `import { Button, Page } from '@shell/components'`. */
export * from './BarChart';
export * from './Button';
export * from './CopyButton';
export * from './fields';
export * from './Icon';
export * from './Kbd';
export * from './LinkList';
export * from './overlays';
export * from './Page';
export * from './SortableList';
export * from './states';
export * from './Table';
export * from './Tabs';
export * from './Time';
export * from './toast';
export * from './Tooltip';
export * from './WeekdayField';
