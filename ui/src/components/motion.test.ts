/** What goes on moving is moved by the browser alone: a page that had to paint it in each frame would have less time for all else. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = resolve(fileURLToPath(import.meta.url), '../../../..');
const sheets = ['ui/src', 'features'].flatMap((folder) =>
  readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.css'))
    .map((file) => resolve(root, folder, file)),
);

it('keyframes change nothing that has to be painted', () => {
  const changed = sheets.flatMap((sheet) => {
    const frames = readFileSync(sheet, 'utf8').matchAll(/@keyframes\s+(\S+)\s*\{((?:[^{}]*\{[^{}]*\})*)\s*\}/g);
    return [...frames].flatMap(([, name, steps = '']) =>
      [...steps.matchAll(/([\w-]+)\s*:/g)].map(([, property]) => `${name} ${property}`),
    );
  });
  expect(changed).not.toHaveLength(0);
  expect(changed.filter((one) => !/ (opacity|translate|scale|rotate|transform)$/.test(one))).toEqual([]);
});
