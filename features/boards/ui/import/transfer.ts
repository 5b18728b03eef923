/** Export and import actions in a board's menu. */
import { request } from '@shell/api';
import { toast } from '@shell/components';

const FORMATS = { csv: 'CSV', xlsx: 'Excel workbook', json: 'JSON' };

/** Saves the board as a file. Without the mark at its beginning Excel would take a CSV file's letters for others. */
async function exportBoard(id: string, name: string, format: string): Promise<void> {
  try {
    const { headers, body } = await request('GET', `/boards/${id}/export`, {
      query: { format, ...(format === 'csv' ? { bom: true } : {}) },
      headers: { Accept: '*/*' },
    });
    const address = URL.createObjectURL(new Blob([body], { type: headers.get('Content-Type') ?? '' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = `${name.replace(/[\\/:*?"<>|]/g, ' ').trim() || 'board'}.${format}`;
    link.click();
    URL.revokeObjectURL(address);
  } catch (failure) {
    toast.problem("Couldn't export board", failure);
  }
}

/** The entries of a board's menu that import into it and export it. */
export const transferEntries = (id: string, name: string, onImport: () => void) => ({
  entries: [
    { id: 'import', label: 'Import into this board', icon: 'upload' as const, onAction: onImport },
    ...Object.entries(FORMATS).map(([format, label]) => ({
      id: `export-${format}`,
      label: `Export as ${label}`,
      icon: 'download' as const,
      onAction: () => void exportBoard(id, name, format),
    })),
  ],
});
