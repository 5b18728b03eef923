/**
 * How long an inbox of 100,000 rows takes to open, and how it scrolls: `node benches/inbox.mjs PROGRAM`. In Chromium, from the
 * click to the painted rows.
 */
import {
  asking,
  browse,
  COPY_ID,
  copyRows,
  FRAME_HEAD,
  frameRow,
  framesOf,
  login,
  median,
  owner,
  painted,
  start,
} from './chromium.mjs';

const ROWS = 100_000;
const ROUNDS = 9;
const SCROLLS = 300;

const running = await start();
const ask = asking(running.url, await owner(running));
await ask('POST', '/alert', JSON.stringify({ title: 'Nightly build is red', body: 'Three tests fail.\n'.repeat(10) }));
copyRows(running, 'inbox_rows', ROWS, { row_id: COPY_ID, place: COPY_ID, title: "title || ' ' || n" });

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
