import { render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { expect, it } from 'vitest';
import { prefetchable } from './prefetch';

const file = { default: () => <p>The page</p> };

it('a page whose file is here is drawn at once, without what is shown while it comes', async () => {
  const { component: Page, load } = prefetchable(() => Promise.resolve(file));
  await load();
  const { container } = render(
    <Suspense fallback="Loading">
      <Page />
    </Suspense>,
  );
  expect(container.textContent).toBe('The page');
});

it('any other is waited for, and one that does not come is asked for again', async () => {
  let asked = 0;
  const { component: Page, load } = prefetchable(() =>
    (asked += 1) === 1 ? Promise.reject(new Error('away')) : Promise.resolve(file),
  );
  await expect(load()).rejects.toThrow('away');
  const { container } = render(
    <Suspense fallback="Loading">
      <Page />
    </Suspense>,
  );
  expect(container.textContent).toBe('Loading');
  expect(await screen.findByText('The page')).toBeTruthy();
});
