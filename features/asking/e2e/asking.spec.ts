import { execFile } from 'node:child_process';
import {
  call,
  expect,
  expectAccessible,
  isInFiles,
  login,
  programPath,
  rawCall,
  setSetting,
  test,
  asSession,
  type Program,
} from '../../../e2e/helpers';

const VALUE = 'sk-live-Zq8xWv7Tn6Rb5Yc4';

/** A command that reads standard input: its exit code and everything that it printed. */
const withInput = (program: Program, text: string, ...args: string[]) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    const child = execFile(programPath, [...args, '--data-dir', program.dataDir], (failure, out, err) =>
      resolve({ code: Number(failure?.code ?? 0), said: out + err }),
    );
    child.stdin?.end(text);
  });

test('a value that a session asks for is typed after a crash, and nobody but its target has it', async ({
  page,
  program,
}) => {
  const ask = await asSession(program);
  const { id, status } = await ask('POST', '/input-requests', {
    name: 'Mail key',
    purpose: 'Sends the report',
    target: { env: 'MAIL_KEY' },
  });
  expect(status).toBe('waiting');
  await program.kill();
  await program.resume();
  await login(page, program, '/inbox');
  // The turn that resumed the session has a newer row.
  await page.getByRole('row', { name: /Mail key/ }).click();
  await page
    .getByRole('article', { name: /Mail key/ })
    .getByRole('button', { name: 'Open', exact: true })
    .click();
  await expect(page).toHaveURL(new RegExp(`/app/asks/${id}$`));
  const field = page.getByLabel('Mail key', { exact: true });
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute('type', 'password');
  await field.fill(VALUE);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Value provided.')).toBeVisible();
  expect(await ask('GET', `/input-requests/${id}`)).toEqual({ status: 'provided' });
  const again = await withInput(program, 'another value\n', 'asks', 'answer', id);
  expect(again.code).not.toBe(0);
  expect(again.said).toContain('already-decided');
  expect(again.said).not.toContain('another value');
  await page.goto(`${program.url}/app/inbox`);
  await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeVisible();
  await expect(page.getByRole('row', { name: /Mail key/ })).toBeHidden();
  await page.goto(`${program.url}/app/secrets`);
  await expect(page.getByText('MAIL_KEY')).toBeVisible();
  await expectAccessible(page, 'kept secrets');
  expect(await isInFiles(program, VALUE)).toBe(false);
});

test('an offered key is looked through, corrected and saved, or dismissed, and the session learns which', async ({
  signedIn: page,
  program,
}) => {
  const ask = await asSession(program);
  const kept = await ask('POST', '/key-proposals', {
    name: 'MAIL',
    value: VALUE,
    note: 'From the console of the mail service',
  });
  const dropped = await ask('POST', '/key-proposals', { name: 'DROPPED', value: VALUE });
  await page.goto(`${program.url}/app/asks/${kept.id}`);
  const key = page.getByLabel('Key', { exact: true });
  await expect(key).toHaveValue(VALUE);
  await expectAccessible(page, 'a key is offered');
  await page.getByRole('button', { name: 'Show Key' }).click();
  await expect(key).toHaveAttribute('type', 'text');
  await key.fill(`${VALUE}-corrected`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Key saved.')).toBeVisible();
  await page.goto(`${program.url}/app/asks/${dropped.id}`);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByText('Nothing was stored')).toBeVisible();
  expect([await ask('GET', `/key-proposals/${kept.id}`), await ask('GET', `/key-proposals/${dropped.id}`)]).toEqual([
    { status: 'saved' },
    { status: 'dismissed' },
  ]);
  expect((await call(program, 'GET', '/secrets')).items.map(({ name }: { name: string }) => name)).toEqual(['MAIL']);
  expect(await isInFiles(program, VALUE)).toBe(false);
});

test('a script answers from standard input while a session waits, and an open page follows', async ({
  signedIn: page,
  program,
}) => {
  const ask = await asSession(program);
  const { id } = await ask('POST', '/input-requests', { name: 'Mail key', target: { secret: 'MAIL' } });
  await page.goto(`${program.url}/app/asks/${id}`);
  await expect(page.getByRole('button', { name: 'Decline' })).toBeVisible();
  const told = ask('GET', `/input-requests/${id}?wait=50`);
  const answered = await withInput(program, `${VALUE}\n`, 'asks', 'answer', id);
  expect(answered.code).toBe(0);
  expect(answered.said).not.toContain(VALUE);
  expect(await told).toEqual({ status: 'provided' });
  await expect(page.getByText('Value provided.')).toBeVisible();
});

test('while it is off a session is told which setting decides, and no card appears', async ({ program }) => {
  await setSetting(program, 'agentInputRequestsEnabled', false);
  await setSetting(program, 'agentKeyProposalsEnabled', false);
  const ask = await asSession(program);
  const told = await ask('POST', '/input-requests', { name: 'N', target: { secret: 'N' } });
  expect(told).toMatchObject({ status: 403, code: 'input-requests-disabled', setting: 'agentInputRequestsEnabled' });
  expect(await ask('POST', '/key-proposals', { name: 'N', value: VALUE })).toMatchObject({
    status: 403,
    code: 'key-proposals-disabled',
    setting: 'agentKeyProposalsEnabled',
  });
  expect((await (await rawCall(program, 'GET', '/asks')).json()).items).toEqual([]);
  expect((await call(program, 'GET', '/inbox')).items).toEqual([]);
});
