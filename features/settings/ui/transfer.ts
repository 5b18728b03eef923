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

/** Checks a document (`dryRun`) or takes it over, all of it or nothing. Answers what changes. */
export async function importDocument(document: Json, dryRun: boolean): Promise<Difference[]> {
  const { changes } = await api.post<{ changes: Difference[] }>('/settings/import', { document, dryRun });
  return changes;
}

/** Saves what the user set as a file. */
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
