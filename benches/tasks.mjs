/**
 * How long a list of 50,000 tasks takes to open, and from a key to the painted change: `node benches/tasks.mjs PROGRAM`. In
 * Chromium.
 */
import { asking, browse, login, median, owner, painted, start } from './chromium.mjs';

const TASKS = 50_000;
const BATCH = 2_500;
const ROUNDS = 9;

const running = await start();
const ask = asking(running.url, await owner(running));
for (let from = 0; from < TASKS; from += BATCH) {
  const edits = Array.from({ length: BATCH }, (_, at) => ({ action: 'add', text: `Task ${from + at}`, plain: true }));
  await ask('POST', '/tasks/edit', JSON.stringify({ edits }));
}

const browser = await browse();
try {
  const page = await browser.newPage();
  await login(page, running);
  const opened_ms = [];
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks', exact: true });
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(`${running.url}/app/settings`);
    await page.getByRole('heading', { name: 'Settings' }).first().waitFor();
    opened_ms.push(await painted(page, 'click', '.tasks-row[data-key]', null, () => link.click()));
  }
  const row = page.locator('.tasks-row[data-key]').nth(3);
  await row.locator('.tasks-name').click();
  /** From a key to the frame after its change. */
  const pressed = async (key) => {
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      await page.evaluate(() => {
        window.pressedMs = new Promise((resolve) =>
          addEventListener(
            'keydown',
            ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp))),
            { once: true, capture: true },
          ),
        );
      });
      await page.keyboard.press(key);
      times.push(await page.evaluate(() => window.pressedMs));
    }
    return times;
  };
  console.log(`\n| ${TASKS} tasks | median, ms | longest, ms | goal |\n|---|---|---|---|`);
  const line = (name, times, goal) =>
    console.log(`| ${name} | ${median(times).toFixed(0)} | ${Math.max(...times).toFixed(0)} | ${goal} |`);
  line('opened', opened_ms, 1000);
  for (const [name, key] of [
    ['next task', 'ArrowDown'],
    ['finish or reopen', 'Space'],
    ['indent', 'Tab'],
    ['move', 'Alt+ArrowDown'],
  ])
    line(name, await pressed(key), 50);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'New task' }).waitFor();
  line('type a letter', await pressed('a'), 50);
} finally {
  await browser.close();
  await running.stop();
}
