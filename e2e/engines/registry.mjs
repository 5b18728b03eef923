/** A package registry on a loopback port that serves one package to those with the token. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PACKAGE = 'private-package';

function tarball() {
  const folder = mkdtempSync(join(tmpdir(), 'engines-package-'));
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name: PACKAGE, version: '1.0.0' }));
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  const bytes = readFileSync(join(folder, 'package.tgz'));
  rmSync(folder, { recursive: true });
  return bytes;
}

export async function openRegistry(token) {
  const bytes = tarball();
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end('{"error": "Log in first"}');
    } else if (request.url.endsWith('.tgz')) {
      response.end(bytes);
    } else if (request.url === `/${PACKAGE}`) {
      const dist = { tarball: `http://${request.headers.host}/${PACKAGE}-1.0.0.tgz`, integrity };
      const versions = { '1.0.0': { name: PACKAGE, version: '1.0.0', dist } };
      response.end(JSON.stringify({ name: PACKAGE, 'dist-tags': { latest: '1.0.0' }, versions }));
    } else {
      response.writeHead(404).end('{}');
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
