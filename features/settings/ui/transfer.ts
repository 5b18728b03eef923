/** Settings to a file and from one. */
import { api, request } from '@shell/api';
import { toast } from '@shell/components';
import type { Json } from '@shell/settings';

/** One value that an import would change. */
export interface Difference {
  key: string;
  from: Json;
  to: Json;
}

/** What an import answers. */
export interface ImportAnswer {
  changes: Difference[];
}

/** Checks a document (`dryRun`) or takes it over, all of it or nothing. */
export const importDocument = (document: Json, dryRun: boolean) => api.post<ImportAnswer>('/settings/import', { document, dryRun });

/** Saves the settings that differ from their defaults as a file. */
export async function downloadExport() {
  try {
    const response = await request('GET', '/settings/export');
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = address;
    link.download = `pilothouse-settings-${new Date().toISOString().slice(0, 10)}.json`;
    link.click();
    URL.revokeObjectURL(address);
  } catch (error) {
    toast.problem('Settings could not be exported', error);
  }
}
