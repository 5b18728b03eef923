/**
 * What is felt on the page: how smoothly a board of 100,000 items and the page of all settings scroll in Chromium, how soon rows
 * stand there after a search, a filter, a sorting or a change of view, and how soon an open board shows what a script changed:
 * `node benches/page.mjs PROGRAM`. Beside the scrolling, in the same browser and under the same wheel events, an empty page with a plain
 * scroller of the same height: where pages are drawn without a graphics card, that one drops frames too.
 */
import { browse, frameRow, framesOf, login, median, painted, script, start, FRAME_HEAD } from './chromium.mjs';

const ITEMS = 100_000;
const ROUNDS = 3;
const EVENTS = 120;
/** Pixels of a wheel event: as one reads, and as one searches. */
const SPEEDS = { 'slow, 100 px an event': 100, 'fast, 3,000 px an event': 3_000 };

function csv() {
  let seed = 7;
  const next = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const of = (...values) => values[next(values.length)];
  const lines = ['Name,Status,Owner,Due date,Effort,Budget,Tags,Blocked,Sprint,Notes,Link,Rating'];
  for (let i = 0; i < ITEMS; i++) {
    const day = `2026-${String(1 + next(12)).padStart(2, '0')}-${String(1 + next(28)).padStart(2, '0')}`;
    lines.push(
      `Item ${i},${of('To do', 'In progress', 'Review', 'Done', 'Blocked')},${of('Ada', 'Grace', 'Linus')},${day},${next(13)},$${next(5000)}.50,` +
        `"ui, ${of('api', 'docs', 'bug')}",${of('yes', 'no')},Sprint ${1 + next(20)},Note ${next(9999)} of many,https://example.org/${i},${1 + next(5)}`,
    );
  }
  return lines.join('\n');
}

async function importBoard(ask) {
  const workspace = (await ask('GET', '/workspaces')).items[0].id;
  const { board } = await ask('POST', `/boards/import?workspaceId=${workspace}&name=Large`, csv(), 'text/csv');
  return board.id;
}

/** Times of frames, and how long tasks held the page up, while the wheel turns. */
async function scrolled(page, at, pixels) {
  await page.bringToFront();
  await page.mouse.move(at.x, at.y);
  return framesOf(page, async () => {
    for (let event = 0; event < EVENTS; event++) {
      await page.mouse.wheel(0, event < EVENTS / 2 ? pixels : -pixels);
    }
  });
}

/** The name of the first row of a board, and the key of the first setting that is shown. */
const FIRST_ITEM = '.grid-item .grid-cell[data-column="0"] > .grid-text';
const FIRST_SETTING = '.row .row-notes code';

/** How soon the open board shows a change, from before it is sent until it was painted. */
async function shownLive(page, ask, board) {
  await page.bringToFront();
  const { items } = await ask('GET', `/boards/${board}/items?limit=1000`);
  const rename = (count, called) =>
    ask(
      'PATCH',
      `/boards/${board}/cells`,
      JSON.stringify({ items: items.slice(0, count).map(({ id, name }) => ({ itemId: id, name: called ?? name })) }),
    );
  console.log(
    `\n| changed by a script in a board of ${ITEMS} items, until it is painted | median, ms | longest, ms | goal |\n|---|---|---|---|`,
  );
  for (const count of [1, items.length]) {
    const times = [];
    for (let round = 0; round < 20; round++) {
      const expected = `Renamed ${count} ${round}`;
      await page.evaluate(
        ([selector, expected]) => {
          window.painted = new Promise((resolve) => {
            const look = () => {
              if (document.querySelector(selector)?.textContent !== expected) return requestAnimationFrame(look);
              requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
            };
            requestAnimationFrame(look);
          });
        },
        [FIRST_ITEM, expected],
      );
      const begun = performance.timeOrigin + performance.now();
      await rename(count, expected);
      times.push((await page.evaluate(() => window.painted)) - begun);
    }
    console.log(
      `| ${count === 1 ? 'one item' : `${count} items in one call`} | ${median(times).toFixed(0)} | ${Math.max(...times).toFixed(0)} | 200 |`,
    );
  }
  await rename(items.length);
}

/** The first item and the first one of another status, each with its status. */
function twoStatuses() {
  const statuses = csv()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[1]);
  const other = statuses.findIndex((status) => status !== statuses[0]);
  return [
    ['Item 0', statuses[0]],
    [`Item ${other}`, statuses[other]],
  ];
}

/** A value of a rule is pressed; beside it a button of an empty page that writes a word. */
async function ruled(page, plain) {
  await page.bringToFront();
  await page.getByRole('grid').getByRole('columnheader', { name: 'Status', exact: true }).hover();
  await page.getByRole('button', { name: 'Options of Status' }).click();
  await page.getByRole('menuitem', { name: 'Filter by this column' }).click();
  const [[first, own], [second, other]] = twoStatuses();
  const values = page.getByRole('group', { name: 'Values' });
  const press = (status, expected) =>
    painted(page, 'pointerup', FIRST_ITEM, expected, () =>
      values.getByRole('button', { name: status, exact: true }).click(),
    );
  const begun = await press(other, second);
  const [rules, frames] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const pressed = [await press(own, first), await press(own, second)];
    await plain.bringToFront();
    const empty = [];
    for (const word of ['one', 'two'])
      empty.push(
        await painted(plain, 'pointerup', '#word', word, () => plain.getByRole('button', { name: word }).click()),
      );
    await page.bringToFront();
    // The first round warms up.
    if (round > 0) {
      rules.push(...pressed);
      frames.push(...empty);
    }
  }
  await page.getByRole('button', { name: 'Remove rule' }).click();
  return { begun, rules, frames };
}

/** Another view of the board is opened, and the table again. */
async function viewsOpened(page, ask, board) {
  const { columns } = await ask('GET', `/boards/${board}`);
  const idOf = (title) => columns.find((column) => column.title === title).id;
  const add = (name, kind, settings) => ask('POST', `/boards/${board}/views`, JSON.stringify({ name, kind, settings }));
  await add('Stages', 'kanban', { byColumn: idOf('Status') });
  await add('Days', 'calendar', { dateColumn: idOf('Due date') });
  await add('Spans', 'timeline', { dateColumn: idOf('Due date') });
  await page.bringToFront();
  const tabs = page.getByRole('tablist', { name: 'Views of this board' }).getByRole('tab');
  const table = tabs.first();
  const kinds = [
    ['the kanban', 'Stages', '.kanban .card'],
    ['the calendar', 'Days', '.day-item'],
    ['the timeline', 'Spans', '.timeline-item'],
  ];
  const [times, back] = [new Map(kinds.map(([what]) => [what, []])), []];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [what, name, drawn] of kinds) {
      times.get(what).push(await painted(page, 'pointerup', drawn, null, () => tabs.filter({ hasText: name }).click()));
      back.push(await painted(page, 'pointerup', FIRST_ITEM, null, () => table.click()));
    }
  }
  console.log(
    `\n| a view of ${ITEMS} items, until it is painted | first, ms | median of the later, ms |\n|---|---|---|`,
  );
  for (const [what, all] of [...times, ['the table again', back]])
    console.log(`| ${what} | ${all[0].toFixed(0)} | ${median(all.slice(1)).toFixed(0)} |`);
}

async function choices(page, plain) {
  await page.bringToFront();
  const search = page.getByRole('searchbox', { name: 'Search the items' });
  const searches = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const wanted = `Item ${4_242 + round}`;
    searches.push(await painted(page, 'input', FIRST_ITEM, wanted, () => search.fill(wanted)));
  }
  await painted(page, 'input', FIRST_ITEM, 'Item 0', () => search.fill(''));
  const { begun, rules, frames } = await ruled(page, plain);
  const sorted = async (entry, first) => {
    const head = page.getByRole('grid').getByRole('columnheader', { name: 'Name', exact: true });
    await head.hover();
    await page.getByRole('button', { name: 'Options of Name' }).click();
    const item = page.getByRole('menuitem', { name: entry });
    await item.waitFor();
    return painted(page, 'pointerup', FIRST_ITEM, first, () => item.click());
  };
  const first = await sorted('Sort descending', `Item ${ITEMS - 1}`);
  const later = [];
  for (let round = 0; round < ROUNDS; round++) {
    later.push(await sorted('Sort ascending', 'Item 0'), await sorted('Sort descending', `Item ${ITEMS - 1}`));
  }
  console.log(
    `\n| among ${ITEMS} items, until rows are painted | first, ms | median of the later, ms | goal |\n|---|---|---|---|`,
  );
  console.log(`| another search | ${searches[0].toFixed(0)} | ${median(searches.slice(1)).toFixed(0)} | - |`);
  console.log(
    `| a value of a rule | ${begun.toFixed(0)} | ${median(rules).toFixed(0)} | one or two frames for the filter itself |`,
  );
  console.log(`| an empty page, a word | - | ${median(frames).toFixed(0)} | - |`);
  console.log(
    `| sorted by name | ${first.toFixed(0)} | ${median(later).toFixed(0)} | one or two frames for the sort itself |`,
  );
}

async function settingsFound(page) {
  await page.bringToFront();
  const search = page.getByRole('searchbox', { name: 'Search settings' });
  const first = await page.locator(FIRST_SETTING).first().innerText();
  const searches = [];
  const cleared = [];
  for (const wanted of ['toastDisplayDurationSeconds', 'heardAboutUs', 'agentPermissionLevel', 'cliServerEnabled']) {
    searches.push(await painted(page, 'input', FIRST_SETTING, wanted, () => search.fill(wanted)));
    cleared.push(await painted(page, 'input', FIRST_SETTING, first, () => search.fill('')));
  }
  const filter = page.getByRole('button', { name: 'No effect here' });
  await filter.click();
  const filtered = await page.locator(FIRST_SETTING).first().innerText();
  await filter.click();
  const filters = [];
  for (let round = 0; round < ROUNDS; round++) {
    filters.push(await painted(page, 'pointerup', FIRST_SETTING, filtered, () => filter.click()));
    filters.push(await painted(page, 'pointerup', FIRST_SETTING, first, () => filter.click()));
  }
  console.log(`\n| among all settings, until rows are painted | first, ms | median, ms |\n|---|---|---|`);
  for (const [what, times] of [
    ['a search', searches],
    ['the search cleared', cleared],
    ['a filter set or cleared', filters],
  ]) {
    console.log(`| ${what} | ${times[0].toFixed(0)} | ${median(times).toFixed(0)} |`);
  }
}

const server = await start();
let browser;
try {
  const ask = await script(server);
  const board = await importBoard(ask);
  browser = await browse();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await login(page, server);
  await page.goto(`${server.url}/app/boards/${board}`);
  await page.locator(FIRST_ITEM).first().waitFor({ timeout: 60_000 });
  const box = await page.getByRole('grid').boundingBox();
  const at = { x: box.x + 300, y: Math.min(700, box.y + 300) };

  const settings = await context.newPage();
  await login(settings, server);
  await settings.goto(`${server.url}/app/settings`);
  await settings.locator('.row').first().waitFor();
  const list = await settings.locator('.settings-list').boundingBox();
  const inList = { x: list.x + 300, y: list.y + 300 };

  const plain = await context.newPage();
  await plain.setContent(
    '<body style="margin:0"><div style="position:fixed"><button onclick="word.textContent=this.textContent">one</button><button onclick="word.textContent=this.textContent">two</button><span id="word"></span></div><div style="height:100vh;overflow:auto"><div style="height:3600000px;background:repeating-linear-gradient(#fff 0 35px,#ccc 35px 36px)"></div></div>',
  );

  console.log(`| scrolling by wheel ${FRAME_HEAD}`);
  for (const [speed, pixels] of Object.entries(SPEEDS)) {
    const ours = { frames: [], tasks: [] };
    const ofSettings = { frames: [], tasks: [] };
    const theirs = { frames: [], tasks: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      const turns = [
        [ours, await scrolled(page, at, pixels)],
        [ofSettings, await scrolled(settings, inList, pixels)],
        [theirs, await scrolled(plain, at, pixels)],
      ];
      for (const [all, seen] of turns) {
        // The first round warms up.
        if (round > 0) for (const kind of ['frames', 'tasks']) all[kind].push(...seen[kind]);
      }
    }
    frameRow(`the board, ${speed}`, ours);
    frameRow(`all settings, ${speed}`, ofSettings);
    frameRow(`an empty page, ${speed}`, theirs);
  }
  await shownLive(page, ask, board);
  await choices(page, plain);
  await viewsOpened(page, ask, board);
  await settingsFound(settings);
} finally {
  await browser?.close();
  await server.stop();
}
