/**
 * How long an inbox of 100,000 rows takes to open, and how it scrolls: `node benches/inbox.mjs PROGRAM`. In Chromium, from the
 * click to the painted rows.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { asking, browse, FRAME_HEAD, frameRow, framesOf, login, median, owner, painted, start } from './chromium.mjs';

const ROWS = 100_000;
const ROUNDS = 9;
const SCROLLS = 300;

const running = await start();
const ask = asking(running.url, await owner(running));
// Posting so many takes minutes; the rows are copies of one that was.
await ask('POST', '/alert', JSON.stringify({ title: 'Nightly build is red', body: 'Three tests fail.\n'.repeat(10) }));
const COPY = `
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=30)
columns = [row[1] for row in database.execute("PRAGMA table_info(inbox_rows)")]
copied = [{"row_id": "printf('0%017d', n)", "place": "printf('0%017d', n)", "title": "title || ' ' || n"}.get(name, name) for name in columns]
database.execute(f"""WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {int(sys.argv[2]) - 1})
INSERT INTO inbox_rows ({', '.join(columns)}) SELECT {', '.join(copied)} FROM inbox_rows, numbers""")
database.commit()
`;
execFileSync('python3', ['-c', COPY, path.join(running.dataDir, 'pilothouse.db'), String(ROWS)]);

const browser = await browse();
try {
  const page = await browser.newPage();
  await login(page, running);
  const opened_ms = [];
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Inbox/ });
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(`${running.url}/app/settings`);
    await page.getByRole('heading', { name: 'Settings' }).first().waitFor();
    opened_ms.push(await painted(page, 'click', '.inbox-line[data-key]', null, () => link.click()));
  }
  const { open } = await ask('GET', '/inbox/count');
  if (open !== ROWS) throw new Error(`${open} rows are open.`);
  console.log(`\n| inbox of ${ROWS} rows | median, ms | longest, ms | goal |\n|---|---|---|---|`);
  console.log(
    `| opened | ${median(opened_ms).toFixed(0)} | ${Math.max(...opened_ms).toFixed(0)} | 200 |\n\n${FRAME_HEAD}`,
  );
  const scroll = (step) =>
    framesOf(page, () =>
      page.evaluate(
        ([step, steps]) =>
          new Promise((resolve) => {
            const list = document.querySelector('.inbox-scroller');
            let left = steps;
            const next = () => {
              list.scrollTop += step;
              if (--left > 0) requestAnimationFrame(next);
              else resolve();
            };
            requestAnimationFrame(next);
          }),
        [step, SCROLLS],
      ),
    );
  frameRow('scrolled, 120 px a frame', await scroll(120));
  frameRow('scrolled, 20,000 px a frame', await scroll(20_000));
} finally {
  await browser.close();
  await running.stop();
}
