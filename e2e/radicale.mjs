/** A CalDAV server of its own: radicale, as `cargo xtask test` installs it. `RADICALE` names the program. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.mjs';

export const USER = 'ada';
export const PASSWORD = 'an app password';

/**
 * Starts the server with one calendar, `Home`, and returns its address, how to ask it, and how to end it: `end` keeps what it
 * has for another `start`, `stop` keeps nothing.
 * @param {string} [program]
 */
export async function startRadicale(program = process.env.RADICALE) {
  if (!program) throw new Error('RADICALE must name the program radicale. `cargo xtask test` installs it.');
  const folder = await mkdtemp(path.join(tmpdir(), 'pilothouse-radicale-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await writeFile(path.join(folder, 'users'), `${USER}:${PASSWORD}\n`);
  await writeFile(
    path.join(folder, 'config'),
    `[server]\nhosts = 127.0.0.1:${port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = ${folder}/users\nhtpasswd_encryption = plain\ndelay = 0\n[storage]\nfilesystem_folder = ${folder}/data\n`,
  );
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  const start = async () => {
    child = spawn(program, ['--config', path.join(folder, 'config')], { stdio: 'ignore' });
    while (!(await fetch(url).catch(() => null))) {
      if (child.exitCode !== null) throw new Error(`radicale ended with ${child.exitCode}.`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  // A run that fails leaves nothing running.
  process.once('exit', () => child.kill());
  const end = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  };
  /**
   * @param {string} method
   * @param {string} address
   * @param {string} [body]
   */
  const ask = (method, address, body) =>
    fetch(url + address, {
      method,
      ...(body !== undefined && { body }),
      headers: { Authorization: `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}` },
    });
  const stop = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  await start();
  const made = await ask(
    'MKCALENDAR',
    `/${USER}/home/`,
    '<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>Home</D:displayname></D:prop></D:set></C:mkcalendar>',
  );
  if (!made.ok) throw new Error(`radicale made no calendar: ${made.status} ${await made.text()}`);
  return { url, ask, start, end, stop };
}

/**
 * A file of one event.
 * @param {string} uid
 * @param {string} title
 * @param {string} start Such as `20260304T090000Z`
 * @param {string} [more] Lines of its own.
 */
export const eventFile = (uid, title, start, more = '') =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//test//EN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    `DTSTART:${start}`,
    'DURATION:PT1H',
    `SUMMARY:${title}`,
    ...(more ? [more] : []),
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
