import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, expectAccessible, test } from '../../../e2e/helpers';

/** A server that answers like one of OpenAI's kind. */
async function modelServer(): Promise<{ url: string; server: Server; keys: string[] }> {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization ?? '');
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(
        request.url?.endsWith('/models')
          ? { data: [{ id: 'large' }, { id: 'small' }] }
          : {
              choices: [{ message: { content: '{"answer": "Hello there."}' } }],
              usage: { prompt_tokens: 1000, completion_tokens: 100 },
            },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, server, keys };
}

test('a provider: added, tried, chosen, priced, and its cost shown in usage', async ({
  signedIn: page,
  program,
  console: faults,
}) => {
  const { url, server, keys } = await modelServer();
  await page.goto(`${program.url}/app/models`);
  await expect(page.getByText('No models yet')).toBeVisible();
  await expectAccessible(page, 'no models');
  await page.getByRole('button', { name: 'Add provider' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add provider' });
  await dialog.getByRole('button', { name: 'Kind' }).click();
  await page.getByRole('option', { name: /Compatible server/ }).click();
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await expect(dialog.getByText('Enter an address.')).toBeVisible();
  await dialog.getByLabel('Name').fill('Mine');
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByLabel('API key').fill('sk-fake-e2e');
  await expectAccessible(page, 'a new provider');
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await expect(dialog).toBeHidden();

  const utility = page.getByRole('group', { name: 'Utility model' });
  await utility.getByRole('button', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'Mine' }).click();
  await utility.getByLabel('Model').fill('small');
  await utility.getByRole('button', { name: 'Test' }).click();
  await expect(utility.getByText(/“Hello there.” in/)).toBeVisible();
  expect(keys).toContain('Bearer sk-fake-e2e');
  await utility.getByRole('button', { name: 'Save' }).click();
  await expect(utility.getByRole('button', { name: 'Save' })).toBeDisabled();

  const prices = page.getByRole('region', { name: 'Prices' });
  await prices.getByLabel('Model').fill('small');
  await prices.getByLabel('Input per million').fill('1000');
  await prices.getByLabel('Output per million').fill('2000');
  await page.getByRole('button', { name: 'Set price' }).click();
  await expect(page.getByText('US$1,000.00 input, US$2,000.00 output')).toBeVisible();
  await utility.getByRole('button', { name: 'Test' }).click();
  await expect(utility.getByText(/“Hello there.” in/)).toBeVisible();
  await expectAccessible(page, 'models');

  await page.reload();
  await expect(utility.getByLabel('Model')).toHaveValue('small');
  await page.goto(`${program.url}/app/usage`);
  await expect(page.getByText('$1.20 pay-per-use, 1 without a known price')).toBeVisible();
  await expect(page.getByText('Tests of models')).toBeVisible();
  await expectAccessible(page, 'usage');
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(
    page.getByRole('grid', { name: 'By purpose' }).getByRole('row', { name: /Tests of models/ }),
  ).toContainText('$1.20 and unpriced');

  server.close();
  await page.goto(`${program.url}/app/models`);
  await utility.getByRole('button', { name: 'Test' }).click();
  await expect(utility.getByText(/Can't reach 127.0.0.1/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Delete Mine' }).click();
  await page.getByRole('button', { name: 'Delete provider' }).click();
  await expect(page.getByText('No models yet')).toBeVisible();
  // The server that is gone is a fault of its own.
  expect(faults.filter((fault) => !fault.includes('status of 502'))).toEqual([]);
  faults.length = 0;
});
