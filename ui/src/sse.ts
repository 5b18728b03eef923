/** The event stream format, as the HTML standard has it: fields by line, an empty line ends an event. */

/** One event. An ID alone, which tells where to resume, is an event without data. */
export interface ServerEvent {
  /** `message` if the stream has none. */
  name: string;
  data: string;
  /** Null if the stream has none. */
  id: string | null;
}

/** Reads events from a byte stream. An incomplete last event is dropped, as in the standard. */
export async function* parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let name = '';
  let id: string | null = null;
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A CR at the end may be the first half of CRLF, so it waits for more.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data.length || id !== null) yield { name: name || 'message', data: data.join('\n'), id };
          name = '';
          id = null;
          data = [];
          continue;
        }
        const colon = line.indexOf(':');
        if (colon === 0) continue; // A comment: the program's sign of life.
        const field = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'event') name = text;
        else if (field === 'data') data.push(text);
        else if (field === 'id' && !text.includes('\0')) id = text;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
