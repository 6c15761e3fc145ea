// The rules for Svelte files. The others stand in .oxlintrc.json (docs/decisions/0148), and which file may import which
// in scripts/house/walls.mjs.
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
      // oxlint reads these.
      '**/*.{js,mjs,cjs,ts,mts,cts}',
      '!**/*.svelte.ts',
    ],
  },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'] },
      globals: { ...globals.es2024, ...globals.browser },
    },
    rules: {
      'svelte/no-at-html-tags': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  ...houseWalls,
)
