/** The widget engine in the browser gives the values that it gives natively: the golden vectors, by the module that pages load. */
import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { expect, login, test } from '../../../e2e/helpers';

const text = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
const golden = (name: string) => text(`crates/widgets/golden/${name}`);

test('the page’s engine answers the golden queries as natively', async ({ page, program }) => {
  await login(page, program);
  const streams = await Promise.all(
    (JSON.parse(await golden('boards.json')) as { board: { id: string } }[]).map(async ({ board: { id } }) => {
      const bytes = await readFile(new URL(`../../../crates/widgets/golden/${id}.arrow`, import.meta.url));
      return bytes.toString('base64');
    }),
  );
  const given = {
    streams,
    histories: JSON.parse(await golden('histories.json')) as object,
    queries: JSON.parse(await golden('queries.json')) as unknown[],
  };
  // What the worker is made of, without the worker.
  const { outputText } = ts.transpileModule(await text('ui/src/engine/module.ts'), {
    compilerOptions: { target: ts.ScriptTarget.ES2022 },
  });
  const answers = await page.evaluate<string[]>(`(async ({ streams, histories, queries }) => {
    ${outputText.replace('export class', 'class')}
    const { instance } = await WebAssembly.instantiateStreaming(fetch('/app/engine/widgets.wasm'), {});
    const engine = new EngineModule(instance);
    for (const stream of streams) engine.load(Uint8Array.from(atob(stream), (one) => one.charCodeAt(0)));
    for (const [name, history] of Object.entries(histories)) engine.setHistory(name, history);
    return queries.map((query) => engine.queryText(JSON.stringify(query)));
  })(${JSON.stringify(given)})`);
  expect(answers).toEqual((await golden('answers.jsonl')).trimEnd().split('\n'));
});
