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

/** An entry of the file that is not taken. */
export interface Skipped {
  key: string;
  value: Json;
  detail: string;
}

/** What an import does, or would do. */
export interface ImportReport {
  changes: Difference[];
  /** Keys that are so already. */
  unchanged: string[];
  skipped?: Skipped[];
}

/** How an import meets what is set, and what it does with entries that are not accepted. */
export interface ImportChoices {
  /** With `replace`, what the file does not name returns to its default. */
  mode: 'merge' | 'replace';
  /** Takes the rest; otherwise one refused entry refuses the file. */
  skipInvalid: boolean;
}

/** Checks a document (`dryRun`) or takes it over. */
export const importDocument = (document: Json, choices: ImportChoices, dryRun: boolean) =>
  api.post<ImportReport>('/settings/import', { document, ...choices, dryRun });

/** Saves what the user set as a file. */
export async function downloadExport() {
  try {
    const { headers, body } = await request('GET', '/settings/export');
    const address = URL.createObjectURL(new Blob([body], { type: headers.get('Content-Type') ?? '' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = `pilothouse-settings-${new Date().toISOString().slice(0, 10)}.json`;
    link.click();
    URL.revokeObjectURL(address);
  } catch (error) {
    toast.problem('Settings could not be exported', error);
  }
}
