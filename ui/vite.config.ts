import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The running program that `npm run dev` talks to. */
const program = process.env.PILOTHOUSE_URL ?? 'http://127.0.0.1:19519';

export default defineConfig({
  root: here('.'),
  base: '/app/',
  plugins: [react()],
  resolve: {
    alias: { '@shell': here('./src') },
    // Pages under features/ must get the same React as the shell.
    dedupe: ['react', 'react-dom', 'react-aria-components', '@tanstack/react-query', 'wouter'],
  },
  build: {
    outDir: here('./dist'),
    emptyOutDir: true,
    target: 'es2022',
    // light-dark() in theme.css stays as it is.
    cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
    // A data: font or script would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        // The libraries change seldom: browsers keep this file when only our code changes.
        codeSplitting: {
          groups: [{ name: 'vendor', test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/]query-core|@tanstack[\\/]react-query|wouter)[\\/]/ }],
        },
      },
    },
  },
  server: {
    fs: { allow: [here('..')] },
    proxy: {
      '^/(?!app(/|$))': {
        target: program,
        changeOrigin: true,
        // The program takes requests of its own origin only; in development the page has another.
        configure: (proxy) =>
          proxy.on('proxyReq', (request) => {
            for (const header of ['origin', 'referer', 'sec-fetch-site']) request.removeHeader(header);
          }),
      },
    },
  },
  test: {
    root: here('..'),
    environment: 'jsdom',
    setupFiles: [here('./src/testing/setup.ts')],
    include: ['ui/src/**/*.test.{ts,tsx}', 'features/*/ui/**/*.test.{ts,tsx}'],
    restoreMocks: true,
    css: false,
  },
});
