/** Key of whether a dashboard is published, without its id; index.tsx says by what it becomes old. */
export const PUBLICATION = ['dashboards', 'publication'] as const;
