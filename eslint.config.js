// The habits of the code. Those that need types stand in .oxlintrc.json (docs/decisions/0148), and which file may import
// which in scripts/house/walls.mjs.
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import { houseWalls } from './scripts/house/walls.mjs'

export default ts.config(
  {
    ignores: [
      'node_modules/',
      'out/',
      'dist/',
      'dist-cli/',
      'dist-clients/',
      'coverage/',
      'reports/',
      'test-results/',
      'playwright-report/',
      '**/.cache/',
    ],
  },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.es2024 } } },
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'] },
      globals: { ...globals.browser },
    },
    rules: {
      'svelte/no-at-html-tags': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  ...houseWalls,
  {
    files: ['scripts/**/*.mjs', '*.js'],
    languageOptions: { globals: { ...globals.node } },
  },
  {
    files: [
      'src/main/cli.ts',
      'src/main/hosts/cli/**/*.ts',
      'src/main/**/cli.ts',
      'benchmarks/**/*.ts',
      'tests/**/*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['src/main/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.name=/^mkdir(Sync)?$/] Property[key.name="recursive"]',
          message: 'Node never returns from this below /proc: use makeFolder.',
        },
      ],
    },
  },
)
