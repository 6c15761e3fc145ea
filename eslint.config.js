// The habits of the code. Which file may import which stands in scripts/house/walls.mjs.
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
    extends: [...ts.configs.recommendedTypeCheckedOnly],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.pure.json', './tsconfig.node.json', './tsconfig.web.json', './tsconfig.e2e.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
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
  {
    files: ['tests/**/*.ts', 'benchmarks/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
)
