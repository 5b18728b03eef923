/**
 * A calendar of 10,000 events and 200 series at a CalDAV server (radicale) on the same machine: its first sync, a sync after one
 * change, and how long a month takes to be painted: `RADICALE=… node benches/calendar.mjs PROGRAM`. In Chromium.
 */
import { startRadicale, eventFile, PASSWORD, USER } from '../e2e/radicale.mjs';
import { asking, browse, login, median, owner, painted, start } from './chromium.mjs';

const EVENTS = 10_000;
const SERIES = 200;
const ROUNDS = 9;

const stamp = (ms) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
const events = (file) => file.slice(file.indexOf('BEGIN:VEVENT'), file.indexOf('END:VCALENDAR'));
const begun = Date.UTC(2025, 0, 1, 8);
const files = [
  // About eight a day over three and a half years.
  ...Array.from({ length: EVENTS }, (_, i) => eventFile(`event-${i}`, `Event ${i}`, stamp(begun + i * 3 * 3_600_000))),
  ...Array.from({ length: SERIES }, (_, i) =>
    eventFile(
      `series-${i}`,
      `Series ${i}`,
      stamp(begun + i * 3_600_000),
      `RRULE:FREQ=WEEKLY;BYDAY=${['MO', 'TU,TH', 'WE', 'FR'][i % 4]}`,
    ),
  ),
];

const server = await startRadicale();
const put = await server.ask(
  'PUT',
  `/${USER}/many/`,
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n${files.map(events).join('')}END:VCALENDAR\r\n`,
);
if (!put.ok) throw new Error(`radicale: ${put.status} ${await put.text()}`);

const running = await start();
const ask = asking(running.url, await owner(running));
await ask('PATCH', '/settings/calendarEnabled', JSON.stringify({ value: true }));
const account = { url: server.url, username: USER, password: PASSWORD };
const first = performance.now();
const { id } = await ask('POST', '/calendar/accounts', JSON.stringify(account));
await ask('POST', `/calendar/accounts/${id}/sync`);
const first_s = (performance.now() - first) / 1_000;
const week = await ask('GET', '/calendar/events?from=2026-03-02&to=2026-03-09');
if (week.items.length < 56 + SERIES) throw new Error(`Only ${week.items.length} events were read of a week.`);

const sync_ms = [];
for (let round = 0; round < ROUNDS; round++) {
  await server.ask(
    'PUT',
    `/${USER}/many/new-${round}.ics`,
    eventFile(`new-${round}`, `New ${round}`, '20260304T120000Z'),
  );
  const before = performance.now();
  await ask('POST', `/calendar/accounts/${id}/sync`);
  sync_ms.push(performance.now() - before);
}
const after = await ask('GET', '/calendar/events?from=2026-03-02&to=2026-03-09');
if (after.items.length !== week.items.length + ROUNDS) throw new Error('A change of the server was not read.');

const month_ms = [];
for (let round = 0; round < ROUNDS; round++) {
  const before = performance.now();
  await ask('GET', '/calendar/events?from=2026-02-23&to=2026-04-06');
  month_ms.push(performance.now() - before);
}

const browser = await browse();
try {
  const page = await browser.newPage();
  await login(page, running);
  const shown_ms = [];
  await page.goto(`${running.url}/app/calendar?view=month&date=2026-03-04`);
  await page.locator('.cal-frame [role=gridcell] button').first().waitFor();
  const next = page.getByRole('button', { name: /^Next/ });
  for (let round = 0; round < ROUNDS; round++) {
    shown_ms.push(await painted(page, 'click', '.cal-frame [role=gridcell] button', undefined, () => next.click()));
  }
  console.log(`\n| ${EVENTS} events, ${SERIES} series | median | longest | goal |\n|---|---|---|---|`);
  const line = (what, values, goal, digits = 0) =>
    console.log(`| ${what} | ${median(values).toFixed(digits)} | ${Math.max(...values).toFixed(digits)} | ${goal} |`);
  line('first sync, s', [first_s], 20, 1);
  line('sync after one change, ms', sync_ms, 300);
  line('a month read, ms', month_ms, 50);
  line('the next month painted, ms', shown_ms, '–');
} finally {
  await browser.close();
  await running.stop();
  await server.stop();
}
