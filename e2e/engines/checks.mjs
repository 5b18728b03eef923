/**
 * What each engine has to be able to do with the program. A check returns nothing if it passed, else a few words that say why the
 * engine can't; it throws what is wrong.
 */
import { GH_TOKEN, Session, SSH_KEY, until } from './program.mjs';
import { PACKAGE } from './registry.mjs';

const RED_DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
/** Sleeps of a length that nothing else on the machine has, so that they can be recognized. */
let sleeps = 0;
const longSleep = () => `${80_000 + (process.pid % 10_000)}.${++sleeps}`;

const expect = (is, what) => {
  if (!is) throw new Error(what);
};
const same = (found, expected, what) =>
  expect(found === expected, `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);

/** Allows every request until the turn is over. */
async function allowAll(session) {
  await until('end of the turn', async () => {
    const { state, why, waiting } = await session.get();
    expect(!['failed', 'interrupted', 'parked', 'stopped'].includes(state), `It's ${state}: ${why}`);
    const open = (await session.asks()).find((ask) => ask.answer === null);
    if (open) await session.answer(open, { allow: true }).catch(() => {});
    return !open && ['idle', 'finished'].includes(state) && waiting === 0;
  });
}

/** A session whose command is allowed, until its turn is over. */
async function ran(t, ...commands) {
  const session = await t.session(t.prompt(...commands.map((run) => ({ run }))));
  const first = await session.request();
  await session.answer(first, { allow: true });
  await allowAll(session);
  return { session, first };
}

async function found(t) {
  const engine = (await t.program.ask('GET', '/engines')).items.find((one) => one.id === t.engine);
  expect(engine.isFound, `Not found: ${JSON.stringify(engine)}`);
  if (t.version) same(engine.version, t.version, 'Version');
}

async function login(t) {
  const engine = (await t.program.ask('GET', '/engines')).items.find((one) => one.id === t.engine);
  same(engine.login, 'yes', 'Login');
}

async function write(t) {
  const session = await t.session(t.prompt({ write: [t.file('written.txt'), 'Written'] }));
  await session.done();
  same(t.program.read('written.txt').trim(), 'Written', 'File');
  same((await session.asks()).length, 0, 'Requests');
}

async function allow(t) {
  const { session } = await ran(t, 'echo allowed > allowed.txt');
  expect(t.program.exists('allowed.txt'), 'The allowed command did not run');
  const answers = (await session.asks()).map((ask) => ask.answer);
  same(answers.join(), 'allowed', 'Answers');
}

async function deny(t) {
  const session = await t.session(t.prompt({ run: 'echo denied > denied.txt' }));
  const ask = await session.request();
  await session.answer(ask, { allow: false });
  await session.done();
  expect(!t.program.exists('denied.txt'), 'The denied command ran');
  await session.message(t.prompt({ write: [t.file('after-deny.txt'), 'After'] }));
  await until('file after a denial', () => t.program.exists('after-deny.txt'));
}

async function always(t) {
  const command = (name) => ({ run: `touch ${name}` });
  const session = await t.session(t.prompt(command('always.txt')));
  const ask = await session.request();
  expect(ask.alwaysAllows, 'No rule covers the request');
  await session.answer(ask, { allow: true, always: true });
  await session.done();
  t.program.sh('rm always.txt');
  await session.message(t.prompt(command('always.txt')));
  await until('file of the second command', () => t.program.exists('always.txt'));
  await session.done();
  same((await session.asks()).length, 1, 'Requests');
}

async function plan(t) {
  const steps = t.traits.plan;
  if (typeof steps === 'string') {
    const session = await t.session(t.prompt({ say: 'First step' }), { mode: 'plan' });
    await session.done();
    same((await session.get()).mode, 'plan', 'Mode');
    return steps;
  }
  const session = await t.session(t.prompt(...steps(t)), { mode: 'plan' });
  const ask = await session.request();
  same(ask.kind, 'plan', 'Kind of the request');
  const shown = t.traits.planNote ? JSON.stringify(await session.entries()) : ask.asked;
  expect(shown.includes('First step'), `The plan isn't shown: ${ask.asked}`);
  await session.answer(ask, { allow: true });
  await allowAll(session);
  return t.traits.planNote;
}

async function question(t) {
  const step = t.traits.question;
  if (typeof step === 'string') return step;
  const session = await t.session(t.prompt(step));
  const ask = await session.request();
  same(ask.kind, 'question', 'Kind of the request');
  const [field] = Object.keys(ask.request.schema.properties);
  await session.answer(ask, { value: { [field]: 'Blue' } });
  await allowAll(session);
  // The model's options contain the answer too, but not what comes back from its tool.
  expect(/Blue/.test(t.practice ? await heard(t, session) : t.model.of(t.key).at(-1).results.join()), 'No answer');
  return undefined;
}

async function image(t) {
  const images = [{ media: 'image/png', data: RED_DOT }];
  const prompt = t.prompt({ say: 'A dot' });
  const session = await t.session(prompt, { images });
  await session.done();
  if (t.practice) return (await session.get()).acceptsImages ? undefined : 'Accepts text only';
  same(t.model.of(t.key)[0]?.images, 1, 'Images that the model got');
  return undefined;
}

async function steer(t) {
  const session = await t.session(t.prompt({ run: 'sleep 4' }, { say: 'End' }));
  await session.answer(await session.request(), { allow: true });
  await session.until('running');
  const { canSteer } = await session.get();
  await session.message('Steered words', { steer: true });
  await allowAll(session);
  const { turns } = await session.get();
  if (t.practice) return void same(turns, 1, 'Turns');
  const heard = t.model.requests.some((request) => request.said.some((text) => text.includes('Steered words')));
  if (!canSteer) {
    expect(turns === 2, 'The message was not queued');
    return 'Not supported: the message is queued';
  }
  expect(heard, 'The message did not reach the model');
  same(turns, 1, 'Turns');
  return undefined;
}

async function cancel(t) {
  const session = await t.session(t.prompt({ hang: true }));
  await t.atModel(session);
  await session.do('cancel');
  await session.until('idle');
  await session.message(t.prompt({ write: [t.file('after-cancel.txt'), 'After'] }));
  await until('file after a cancellation', () => t.program.exists('after-cancel.txt'));
  await session.done();
}

async function stop(t) {
  const [short, long] = [longSleep(), longSleep()];
  const command = `(setsid sleep ${short} >/dev/null 2>&1 &) ; sleep ${long}`;
  const session = await t.session(t.prompt({ run: command }));
  await session.answer(await session.request(), { allow: true });
  const sleeping = () => session.processes().filter(({ line }) => /^sleep /.test(line)).length;
  await until('running command', () => sleeping() === 2);
  await session.do('stop');
  await session.until('stopped');
  const left = session.processes().map(({ line }) => line);
  same(left.join('; '), '', 'Processes left');
}

/** Ends the engine itself with SIGKILL, not the program's process around it. */
async function kill(t, session) {
  const engine = await until('process of the engine', () =>
    session.processes().find(({ line, program }) => t.traits.process.test(line) && (t.practice || program !== t.file0)),
  );
  process.kill(engine.id, 'SIGKILL');
}

/** After a crash: resumed by the program, or by the user if it says that it was interrupted. */
async function resumed(t, session) {
  let byUser = false;
  await until('end of the turn after the crash', async () => {
    const { state, why } = await session.get();
    expect(state !== 'failed', `It's failed: ${why}`);
    const open = (await session.asks()).find((ask) => ask.answer === null);
    if (open) await session.answer(open, { allow: true }).catch(() => {});
    if (state === 'interrupted' && !byUser) {
      byUser = true;
      await session.do('resume');
    }
    return !open && ['idle', 'finished'].includes(state);
  });
  const said = JSON.stringify(await session.entries());
  expect(/crash/i.test(said), 'The transcript does not mention the crash');
}

async function killFirst(t) {
  const session = await t.session(t.prompt({ hang: true, times: 1, write: [t.file('killed-first.txt'), 'After'] }));
  await t.atModel(session);
  await kill(t, session);
  await resumed(t, session);
  if (!t.practice) expect(t.program.exists('killed-first.txt'), 'The turn was not continued');
}

async function killLater(t) {
  const session = await t.session(t.prompt({ say: 'First turn' }));
  await session.done();
  const first = t.key;
  await session.message(t.prompt({ hang: true, times: 1, write: [t.file('killed-later.txt'), 'After'] }));
  await t.atModel(session);
  await kill(t, session);
  await resumed(t, session);
  if (t.practice) return;
  expect(t.program.exists('killed-later.txt'), 'The turn was not continued');
  const last = t.model.of(t.key).at(-1);
  if (!last.said.some((text) => text.includes(first))) return 'Continues without the earlier conversation';
}

async function killAsking(t) {
  // How many failed calls are in the conversation after the crash depends on the engine. A model makes the call again.
  const call = { run: 'echo allowed > killed-asking.txt' };
  const session = await t.session(t.prompt(call, call, call, call));
  const ask = await session.request();
  await kill(t, session);
  await until('withdrawn request', async () => (await session.asks()).find(({ id }) => id === ask.id)?.answer !== null);
  await resumed(t, session);
  if (t.practice) return;
  expect(t.program.exists('killed-asking.txt'), 'The command did not run after the crash');
}

async function limit(t) {
  const session = await t.session(t.prompt(t.traits.limit));
  await session.until('parked');
  return t.traits.limitNote;
}

async function overload(t) {
  const fail = t.traits.overload;
  const session = await t.session(t.prompt({ fail, times: 2, say: 'Recovered' }));
  if (t.practice) return void (await session.until('retrying'));
  await session.done();
  expect(JSON.stringify(await session.entries()).includes('Recovered'), 'No answer after the overload');
}

async function auth(t) {
  const session = await t.session(t.prompt({ fail: t.traits.auth }));
  const failed = await session.until('failed');
  expect(/log|auth/i.test(failed.why), failed.why);
}

async function cut(t) {
  if (t.practice) return 'Uses no model';
  const session = await t.session(t.prompt({ cut: true, times: 1, say: 'Recovered' }));
  await session.done();
  expect(JSON.stringify(await session.entries()).includes('Recovered'), 'No answer after the disconnection');
  return undefined;
}

async function contextFull(t) {
  const session = await t.session(t.prompt({ say: 'First turn' }));
  await session.done();
  await session.message(t.prompt({ fail: t.traits.full, times: 1, say: 'Recovered' }));
  const ended = await until('end of the turn', async () => {
    const now = await session.get();
    return (now.state === 'failed' || (now.state === 'idle' && now.turns > 1 && now.waiting === 0)) && now;
  });
  if (ended.state === 'failed') {
    expect(/context/i.test(ended.why), ended.why);
    return "Can't compact: fails with the reason";
  }
  if (!t.practice)
    expect(JSON.stringify(await session.entries()).includes('Recovered'), 'No answer after the context was full');
  return undefined;
}

/** What tools answered. Not every engine shows it in the transcript. */
async function heard(t, session) {
  const entries = JSON.stringify(await session.entries());
  return t.practice
    ? entries
    : entries +
        t.model
          .of(t.key)
          .flatMap((request) => request.results)
          .join();
}

/** Does something while the hub has the tool server `hubs`. */
async function withServer(t, use) {
  const path = `/hubs/${t.program.hub.id}/servers/hubs`;
  const args = [new URL('server.mjs', import.meta.url).pathname, 'hubs'];
  await t.program.ask('PUT', path, { command: 'node', args });
  await use().finally(() => t.program.ask('DELETE', path));
}

async function toolServers(t) {
  const prompt = t.practice ? 'practice: servers' : t.prompt(t.traits.greet('hubs'));
  await withServer(t, async () => {
    const session = await t.session(prompt);
    await allowAll(session);
    const wanted = t.practice ? 'hubs' : 'Greetings of hubs';
    expect((await heard(t, session)).includes(wanted), 'The tool did not answer');
  });
}

async function strictServers(t) {
  if (t.practice) return 'Has no tool servers of its own';
  const session = await t.session(t.prompt(t.traits.greet('own')));
  await allowAll(session);
  const greeted = (await heard(t, session)).includes('Greetings of own');
  // What the table says of the engine has to be true.
  same(greeted, !t.traits.strict, "Use of the user's own tool server");
  return t.traits.strict ? undefined : 'Uses your own tool servers too';
}

async function commit(t) {
  const { commitNote } = t.traits;
  if (commitNote) t.program.sh('git config user.name Tester && git config user.email tester@example.org');
  await ran(t, 'echo two > two.txt && git add two.txt && git commit -qm Second');
  same(t.program.sh('git log -1 --format=%s').trim(), 'Second', 'Last commit');
  return commitNote;
}

async function push(t) {
  // What a command reads can't always be seen in it. Then the sandbox hides the key, even if the command is allowed.
  t.program.sh('git commit -q --allow-empty -m Pushed && echo \'cat "$HOME/.ssh/id"\' > read-key.sh');
  const { session } = await ran(t, 'git push origin main', 'sh read-key.sh');
  same(t.program.sh(`git --git-dir ${t.program.remote} log -1 --format=%s main`).trim(), 'Pushed', 'Last commit there');
  expect(!(await heard(t, session)).includes(SSH_KEY), 'The session read the key');
}

async function gh(t) {
  const { session, first } = await ran(t, 'gh pr list');
  expect(first.why.includes('GitHub') || first.asked.includes('gh'), first.why);
  const said = await heard(t, session);
  expect(said.includes('Logged in: pr list'), 'gh was not logged in');
  expect(!said.includes(GH_TOKEN), 'The session read the login');
}

async function npm(t) {
  await ran(t, `npm install --no-save --no-audit --no-fund ${PACKAGE}`);
  expect(t.program.exists(`node_modules/${PACKAGE}/package.json`), 'The package was not installed');
}

async function effort(t) {
  const level = t.traits.effort;
  const session = await t.session(t.prompt({ say: 'Thought' }), level && { effort: 'high' });
  await session.done();
  if (!level) return 'Offers no choice';
  expect(level(t.model.of(t.key)[0].body) === 'high', 'The model was asked for another effort');
  return undefined;
}

async function fork(t) {
  const session = await t.session(t.prompt({ say: 'Words of the root' }));
  await session.done();
  const answer = await t.program.ask('POST', `${session.path}/fork`, {
    prompt: t.prompt({ say: 'Words of the fork' }),
  });
  const child = new Session(t.program, answer.id);
  t.sessions.push(child);
  await child.done();
  expect(JSON.stringify(await child.entries()).includes('Words of the fork'), 'No answer in the new session');
  if (t.practice) return;
  const { body } = t.model.of(t.key).at(-1);
  expect(JSON.stringify(body).includes('Words of the root'), 'The model did not get the conversation');
}

const CUSTOM = 'Marker of your own text: \u00fcn\u00ef.';
const counted = (text, part) => text.split(part).length - 1;

/** Does something with settings, and resets them. */
async function withSettings(t, settings, use) {
  const all = Object.entries(settings);
  for (const [key, value] of all) await t.program.ask('PATCH', `/settings/${key}`, { value });
  try {
    return await use();
  } finally {
    for (const [key] of all) await t.program.ask('DELETE', `/settings/${key}`);
  }
}

/** The text reaches the model once in each request, also after a restart of the engine; reminders once for each message. */
async function instructions(t) {
  const settings = { defaultAgentInstructionsCustom: CUSTOM, keyRemindersPromptEnabled: true };
  return withSettings(t, settings, async () => {
    const session = await t.session(t.practice ? 'practice: instructions' : t.prompt({ say: 'First' }));
    await session.done();
    const told = await t.program.ask('GET', `${session.path}/instructions`);
    same(told.blocks.at(-1)?.text, CUSTOM, 'Last block');
    same(
      told.blocks.filter(({ setting }) => setting === 'defaultAgentInstructionsEnabled').length,
      t.traits.presets ?? 0,
      'Presets',
    );
    if (t.practice) return void expect(counted(await heard(t, session), CUSTOM) === 1, 'The text is not there once');
    const texts = told.blocks.map(({ text }) => text);
    const last = () => JSON.stringify(t.model.of(t.key).at(-1).body);
    const once = (when) => {
      for (const text of texts) same(counted(last(), JSON.stringify(text).slice(1, -1)), 1, `${when}: ${text}`);
    };
    const reminded = (messages, when) => same(counted(last(), '<reminders>'), messages, `Reminders ${when}`);
    once('First request');
    reminded(1, 'of the first request');
    await session.message(t.prompt({ say: 'Second' }));
    await until('second turn', async () => (await session.get()).turns === 2);
    once('Second request');
    reminded(2, 'of the second request');
    await session.do('stop');
    await session.until('stopped');
    await session.message(t.prompt({ say: 'Third' }));
    await until('third turn', async () => (await session.get()).turns === 3);
    once('After a restart');
    const isNew = !t.model
      .of(t.key)
      .at(-1)
      .said.some((text) => text.includes('script-') && !text.includes(t.key));
    if (!isNew) reminded(3, 'after a restart');
    const shown = JSON.stringify((await session.entries()).filter(({ body }) => body.entry === 'prompt'));
    expect(!shown.includes('reminders>') && !shown.includes(CUSTOM), 'The transcript shows what was added');
    return undefined;
  });
}

const FIND = 'find many -type f,p -exec grep -l x {} \\;';

/** A pipe among the files holds a process of grep, until its command line was read. */
async function findInBatches(t) {
  t.program.sh('mkdir many && cd many && for n in $(seq 1000); do echo "x $n" > $n.txt; done && mkfifo pipe');
  try {
    const session = await t.session(t.prompt({ run: FIND }));
    await session.answer(await session.request(), { allow: true });
    const grep = () => session.processes().find(({ line }) => /^grep -l x .*many\/pipe/.test(line));
    const { line } = await until('process of grep at the pipe', grep);
    t.program.sh(': > many/pipe');
    await allowAll(session);
    const result = await heard(t, session);
    expect(
      ['many/1.txt', 'many/1000.txt'].every((file) => result.includes(file)),
      'Files are missing',
    );
    const files = line.split(' ').length - 3;
    same(files, t.traits.batches ? 1001 : 1, 'Files of one process');
    return t.traits.batches ? undefined : 'Runs one process per file';
  } finally {
    t.program.sh('rm -rf many');
  }
}

/** Checks in the order of the table: a title, and a function. */
export const CHECKS = [
  ['Found', found],
  ['Logged in', login],
  ['Write a file', write],
  ['Allow a command', allow],
  ['Deny a command', deny],
  ['Always allow', always],
  ['Plan', plan],
  ['Question', question],
  ['Image', image],
  ['Steer', steer],
  ['Cancel', cancel],
  ['Stop with all processes', stop],
  ['Killed in the first turn', killFirst],
  ['Killed in a later turn', killLater],
  ['Killed at a request', killAsking],
  ['Usage limit', limit],
  ['Overload', overload],
  ['Key rejected', auth],
  ['Reply cut off', cut],
  ['Context full', contextFull],
  ['Tool servers of the hub', toolServers],
  ['Only tool servers of the hub', strictServers],
  ['Commit', commit],
  ['Push over SSH', push],
  ['GitHub CLI', gh],
  ['Private npm registry', npm],
  ['Effort', effort],
  ['Fork', fork],
  ['Instructions', instructions],
  ['Find in batches', findInBatches],
];
