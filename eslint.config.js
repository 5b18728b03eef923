import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import path from 'node:path';
import tseslint from 'typescript-eslint';

/**
 * Holds the UI's two boundaries: a feature's pages import the shell (by `@shell/...`) and their own folder, never a
 * sibling; the shell imports no feature, but for the one file that gathers them.
 */
const boundaries = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const root = import.meta.dirname;
    const file = path.relative(root, context.filename).replaceAll(path.sep, '/');
    const own = /^features\/[^/]+\/ui\//.exec(file)?.[0];
    const check = (node) => {
      const source = node.source?.value;
      if (typeof source !== 'string' || !source.startsWith('.')) return;
      const target = path
        .relative(root, path.resolve(path.dirname(context.filename), source))
        .replaceAll(path.sep, '/');
      if (own && !`${target}/`.startsWith(own)) {
        context.report({
          node,
          message: `A feature's pages import the shell as '@shell/...' and their own folder only, not '${target}'.`,
        });
      }
      if (!own && file.startsWith('ui/') && target.startsWith('features/')) {
        context.report({ node, message: 'The shell knows no feature; src/features.ts gathers them.' });
      }
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', 'ui/public/**', 'ui/src/gen/**', 'e2e/out/**', 'target/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['ui/**/*.tsx', 'features/*/ui/**/*.tsx'],
    ...jsxA11y.flatConfigs.recommended,
    rules: {
      ...jsxA11y.flatConfigs.recommended.rules,
      // Props of components aren't attributes of elements.
      'jsx-a11y/aria-role': ['error', { ignoreNonDOM: true }],
      // Focus moves into dialogs and editors that the user has just opened.
      'jsx-a11y/no-autofocus': 'off',
      // Areas that scroll must be reachable by keyboard (axe checks that).
      'jsx-a11y/no-noninteractive-tabindex': [
        'error',
        {
          tags: ['pre', 'div', 'section', 'ol', 'ul', 'svg'],
          roles: ['region', 'group', 'tabpanel', 'log', 'img', 'table'],
        },
      ],
    },
  },
  {
    files: ['ui/**/*.{ts,tsx}', 'features/*/ui/**/*.{ts,tsx}', 'e2e/**/*.ts', 'features/*/e2e/**/*.ts'],
    plugins: { 'react-hooks': reactHooks, pilothouse: { rules: { boundaries } } },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'pilothouse/boundaries': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: 'No HTML from strings: text of others would run here.',
        },
      ],
    },
  },
);
