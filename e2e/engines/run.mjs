/**
 * Tries the program with real engines: `node e2e/engines/run.mjs PROGRAM PACKAGES REPORT [NAME...]`, as `cargo xtask engines` does.
 * PACKAGES is a `node_modules` with the engines. Each engine runs against a model of its own on a loopback port. The last result is
 * written to REPORT unless names are given: engines, or words of checks.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from './checks.mjs';
import { ENGINES, practiceScript } from './engines.mjs';
import { Model } from './model.mjs';
import { NPM_TOKEN, Program, Session, pause, until } from './program.mjs';
import { openRegistry } from './registry.mjs';

const [file, packages, report, ...names] = process.argv.slice(2);
if (!report) throw new Error('Usage: node e2e/engines/run.mjs PROGRAM PACKAGES REPORT [NAME...]');
/** Each engine takes up to 700 MB. */
const AT_ONCE = 2;
const CHECK_SECONDS = 120;
const SHOWN_ENTRIES = 25;

const chosenEngines = Object.keys(ENGINES).filter((engine) => names.includes(engine));
const engines = chosenEngines.length ? chosenEngines : Object.keys(ENGINES);
const words = names.filter((name) => !ENGINES[name]);
const hasWord = ([title]) => !words.length || words.some((word) => title.toLowerCase().includes(word.toLowerCase()));
const checks = CHECKS.filter(hasWord);

function versionOf({ package: name }) {
  if (!name) return /\d\S+/.exec(execFileSync(file, ['--version'], { encoding: 'utf8' }))[0];
  return JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')).version;
}

/** What a check works with. */
class Trial {
  sessions = [];
  constructor(program, model, engine) {
    Object.assign(this, { program, model, engine, traits: ENGINES[engine] });
    this.practice = engine === 'practice';
    this.version = this.practice ? undefined : versionOf(this.traits);
  }

  /** The program's own file, which also runs as a process around each engine. */
  file0 = file;

  file(name) {
    return join(this.program.hubFolder, name);
  }

  /** A message that makes the engine do the steps. */
  prompt(...steps) {
    if (this.practice) return practiceScript(steps);
    this.key = this.model.script(...steps);
    return `Please follow ${this.key} now.`;
  }

  async session(prompt, more) {
    const session = await Session.start(this.program, { prompt, ...more });
    this.sessions.push(session);
    return session;
  }

  /** Waits until the model got the last script, or the practice engine works. */
  async atModel(session) {
    if (this.practice) return void (await session.until('running'));
    await until('request to the model', () => this.model.of(this.key).length > 0);
    await session.until('running');
  }

  async transcript() {
    const lines = [];
    for (const session of this.sessions) {
      const entries = await session.entries().catch(() => []);
      lines.push(...entries.slice(-SHOWN_ENTRIES).map(({ body }) => JSON.stringify(body).slice(0, 600)));
    }
    return [...lines, ...this.program.errors.slice(-10)].map((line) => `    ${line}`).join('\n');
  }

  async close() {
    for (const session of this.sessions) await session.do('stop').catch(() => {});
  }
}

async function runCheck(program, model, engine, [title, check]) {
  const trial = new Trial(program, model, engine);
  const started = Date.now();
  const late = pause(CHECK_SECONDS * 1000).then(() => {
    throw new Error(`Not done within ${CHECK_SECONDS} s`);
  });
  let result;
  try {
    result = { reason: await Promise.race([check(trial), late]) };
  } catch (error) {
    result = { failed: error.message, transcript: await trial.transcript() };
  }
  await trial.close();
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${ENGINES[engine].name}: ${title}: ${result.failed ?? result.reason ?? 'yes'} (${seconds} s)`);
  if (result.failed) console.log(result.transcript);
  return result;
}

async function runEngine(engine, registry) {
  const model = await new Model().listen();
  const program = new Program({ file, packages, engine, variables: ENGINES[engine].variables, model, registry });
  const results = [];
  try {
    await program.start();
    for (const check of checks) results.push(await runCheck(program, model, engine, check));
  } finally {
    await program.stop();
    model.close();
  }
  return results;
}

const cell = ({ failed, reason }) =>
  (failed ? `**no:** ${failed.split('\n')[0]}` : (reason ?? 'yes')).replaceAll('|', '\\|');

function table(all) {
  const heads = engines.map((engine) => `${ENGINES[engine].name} ${versionOf(ENGINES[engine])}`);
  const rows = checks.map(([title], at) => [title, ...engines.map((engine) => cell(all[engine][at]))]);
  const lines = [['', ...heads], ['', ...heads].map(() => '---'), ...rows];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const page = (all) => `# What works with which engine

Checked on ${new Date().toISOString().slice(0, 10)} by \`cargo xtask engines\`, which runs Pilothouse with the published engines and a model of its own. "yes" means that the check passed.

${table(all)}
`;

const registry = await openRegistry(NPM_TOKEN);
const waiting = [...engines];
const all = {};
const work = async () => {
  for (let engine = waiting.shift(); engine; engine = waiting.shift()) all[engine] = await runEngine(engine, registry);
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
registry.close();
const failed = Object.values(all)
  .flat()
  .filter((result) => result.failed).length;
const passed = Object.values(all).flat().length - failed;
console.log(`\n${table(all)}\n\nchecks: ${passed} passed, ${failed} failed`);
if (!names.length) writeFileSync(report, page(all));
process.exit(failed ? 1 : 0);
