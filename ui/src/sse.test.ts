import { expect, it } from 'vitest';
import { parseEvents, type ServerEvent } from './sse';

async function read(...parts: string[]): Promise<ServerEvent[]> {
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(bytes.encode(part));
      controller.close();
    },
  });
  const events: ServerEvent[] = [];
  for await (const event of parseEvents(body)) events.push(event);
  return events;
}

it('reads events, their names and ids', async () => {
  expect(await read(': hello\n\nid: 1-7\nevent: setting-changed\ndata: {"key":"a"}\n\ndata: x\n\n')).toEqual([
    { name: 'setting-changed', data: '{"key":"a"}', id: '1-7' },
    { name: 'message', data: 'x', id: null },
  ]);
});

it('joins lines of data, and takes one space off only', async () => {
  expect(await read('data:  a\ndata:b\ndata\n\n')).toEqual([{ name: 'message', data: ' a\nb\n', id: null }]);
});

it('does not mind where the stream is cut', async () => {
  const text = 'event: a\r\ndata: ä€\r\n\r\nevent: b\rdata: 2\r\rdata: 3\n\n';
  const bytes = new TextEncoder().encode(text);
  for (let at = 1; at < bytes.length; at += 1) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, at));
        controller.enqueue(bytes.slice(at));
        controller.close();
      },
    });
    const events: string[] = [];
    for await (const event of parseEvents(body)) events.push(`${event.name}=${event.data}`);
    expect(events, `cut at ${at}`).toEqual(['a=ä€', 'b=2', 'message=3']);
  }
});

it('drops an event that the end cuts off, and one without data', async () => {
  expect(await read('event: ping\n\ndata: whole\n\ndata: half')).toEqual([
    { name: 'message', data: 'whole', id: null },
  ]);
});

it('tells of an id that stands alone', async () => {
  expect(await read('id: run-7\n\n')).toEqual([{ name: 'message', data: '', id: 'run-7' }]);
});
