/** The desktop window, as Pilothouse knows it. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';

export type WindowState = Schemas['WindowState'];

export const WINDOW = ['window'] as const;

export const useWindow = () => useQuery({ queryKey: WINDOW, queryFn: () => client.get('/window') });

/** Whether this page is shown by the desktop window. */
export const isInWindow = () => navigator.userAgent.startsWith('PilothouseDesktop/');
