import { defineConfig } from '@playwright/test';
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Whole user flows in the system's Chromium against the real program: `PILOTHOUSE_BIN`, or the debug build.
 */
export default defineConfig({
  testDir: here('..'),
  testMatch: ['e2e/*.spec.ts', 'features/*/e2e/*.spec.ts'],
  respectGitIgnore: true,
  outputDir: here('./out/results'),
  fullyParallel: false,
  workers: process.env.CI ? 2 : undefined,
  forbidOnly: !!process.env.CI,
  retries: 0,
  // No test measures time: these end what hangs. A busy machine takes half a minute to open a page.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ['html', { open: 'never', outputFolder: here('./out/report') }]],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    trace: { mode: 'retain-on-failure', screenshots: false, sources: false },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
