/** Exports a transcript as a file, which the browser saves. */
import { request } from '@shell/api';
import { toast } from '@shell/components';

/** The export formats, with their file extensions. */
export const FORMS = [
  { as: 'markdown', label: 'Markdown', ending: 'md' },
  { as: 'html', label: 'Web page', ending: 'html' },
  { as: 'jsonl', label: 'JSON lines', ending: 'jsonl' },
] as const;

/** Saves the whole transcript as a file. */
export async function saveTranscript(id: string, { as, ending }: (typeof FORMS)[number]): Promise<void> {
  try {
    const { headers, body } = await request('GET', `/sessions/${encodeURIComponent(id)}/export`, {
      query: { as },
      headers: { Accept: '*/*' },
    });
    const address = URL.createObjectURL(new Blob([body], { type: headers.get('Content-Type') ?? '' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = `session-${id}.${ending}`;
    link.click();
    URL.revokeObjectURL(address);
  } catch (failure) {
    toast.problem("Couldn't export transcript", failure);
  }
}
