/** Settings to a file and from one. */
import { request } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import type { Json } from '@shell/settings';
import { isoDate } from '@shell/dates';

/** What an import does, or would do. */
export type ImportReport = Schemas['ChangedMany'];

/** How an import meets what is set, and what it does with entries that are not accepted. */
export interface ImportChoices {
  /** With `replace`, what the file does not name returns to its default. */
  mode: 'merge' | 'replace';
  /** Takes the rest; otherwise one refused entry refuses the file. */
  skipInvalid: boolean;
}

const isMap = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The document that a file holds: what was exported, or bare keys and values, as the command line takes both. `null` where it is neither. */
export function documentIn(file: Json): Json | null {
  if (!isMap(file)) return null;
  if ('settings' in file) return isMap(file.settings!) ? file : null;
  return 'format' in file ? null : { format: 'pilothouse-settings', version: 1, settings: file };
}

/** Checks a document (`dryRun`) or takes it over. Whether it is one, the program says. */
export const importDocument = (document: Json, choices: ImportChoices, dryRun: boolean) =>
  client.post('/settings/import', { body: { document: document as Schemas['Document'], ...choices, dryRun } });

/** Saves what the user set as a file. */
export async function downloadExport() {
  try {
    const { headers, body } = await request('GET', '/settings/export');
    const address = URL.createObjectURL(new Blob([body], { type: headers.get('Content-Type') ?? '' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = `pilothouse-settings-${isoDate(Date.now())}.json`;
    link.click();
    URL.revokeObjectURL(address);
  } catch (error) {
    toast.problem("Couldn't export settings", error);
  }
}
