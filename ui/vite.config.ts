import react from '@vitejs/plugin-react';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The running program that `npm run dev` talks to. */
const program = process.env.PILOTHOUSE_URL ?? 'http://127.0.0.1:19519';

/** features/ lies outside Vite's root, where only imported files are watched: a new feature would go unnoticed. */
const watchFeatures: Plugin = {
  name: 'watch-features',
  configureServer: (server) => void server.watcher.add(here('../features')),
};

/** Most that the first load may weigh, scripts and styles together, compressed. */
const FIRST_LOAD_MAX_BYTES = 300 * 1024;

/** Fails the build when the first load grows past its limit. */
const limitFirstLoad: Plugin = {
  name: 'limit-first-load',
  generateBundle(_, bundle) {
    const files = new Set<string>();
    const add = (name: string) => {
      const chunk = bundle[name];
      if (files.has(name) || chunk?.type !== 'chunk') return;
      files.add(name);
      chunk.imports.forEach(add);
      for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    };
    for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk' && chunk.isEntry) add(chunk.fileName);
    const sizes = [...files].map((name) => {
      const file = bundle[name];
      return file ? gzipSync(file.type === 'chunk' ? file.code : file.source).length : 0;
    });
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (total > FIRST_LOAD_MAX_BYTES)
      this.error(`The first load weighs ${total} bytes compressed, of ${FIRST_LOAD_MAX_BYTES} allowed.`);
    this.info(`first load: ${(total / 1024).toFixed(0)} KiB compressed`);
  },
};

/** Most that the widget engine may weigh, compressed as well as browsers take it. */
const ENGINE_MAX_BYTES = 320 * 1024;

/** When the engine's sources were changed last; its tests are not in it. */
const engineChanged_ms = () => {
  const crate = here('../crates/widgets');
  const sources = readdirSync(path.join(crate, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.rs') && !/^tests(\.rs$|[\\/])/.test(file),
  );
  return Math.max(
    ...['Cargo.toml', ...sources.map((file) => path.join('src', file))].map(
      (file) => statSync(path.join(crate, file)).mtimeMs,
    ),
  );
};

/** A page without its engine opens, and then cannot filter, sort or count anything; with an older one it may count otherwise than the program. */
const needsEngine: Plugin = {
  name: 'needs-engine',
  apply: 'build',
  buildStart() {
    const engine = here('./public/engine/widgets.wasm');
    if (!existsSync(engine)) this.error('The widget engine is not built: run `cargo xtask wasm` first.');
    if (statSync(engine).mtimeMs < engineChanged_ms())
      this.error('The widget engine is older than its sources: run `cargo xtask wasm` first.');
    const { length } = brotliCompressSync(readFileSync(engine));
    if (length > ENGINE_MAX_BYTES) {
      this.error(`The widget engine weighs ${length} bytes compressed, of ${ENGINE_MAX_BYTES} allowed.`);
    }
    this.info(`widget engine: ${(length / 1024).toFixed(0)} KiB compressed`);
  },
};

export default defineConfig({
  root: here('.'),
  base: '/app/',
  plugins: [react(), watchFeatures, needsEngine, limitFirstLoad],
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
          groups: [
            {
              name: 'vendor',
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/]query-core|@tanstack[\\/]react-query|wouter)[\\/]/,
            },
          ],
        },
      },
    },
  },
  server: {
    fs: { allow: [here('..')] },
    proxy: {
      // What frames somebody else's page is the program's, though it stands among the page's files.
      '^/(?!app(/(?!apps/)|$))': {
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
    // One worker less would leave one of two cores idle.
    pool: 'threads',
    maxWorkers: '100%',
    // No test measures time; a busy machine takes longer.
    testTimeout: 60_000,
    css: false,
  },
});
