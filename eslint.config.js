// The walls of the house and the habits of its code. The import walls follow docs/architecture.md.
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'

/** Folders by what they may import. Patterns are matched against the import's own text. */
const node = ['node:*', 'better-sqlite3', 'ws', 'undici', 'keytar', 'keytar/*', 'electron', 'electron/*']
const FEATURES = [
  'alerts',
  'backup',
  'credentials',
  'diagnostics',
  'drawings',
  'export',
  'feeds',
  'importing',
  'market',
  'moving',
  'packages',
  'recording',
  'replay',
  'rest',
  'settings',
  'store',
  'updates',
  'workspaces',
]
const forbid = (patterns, message, allowTypeImports = false) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { patterns: [{ group: patterns, message, allowTypeImports }] }],
})
const wall = (files, patterns, message) => ({ files, rules: forbid(patterns, message) })
const withTypes = (files, hard, hardMessage, soft, softMessage) => ({
  files,
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          { group: hard, message: hardMessage },
          ...(soft.length > 0 ? [{ group: soft, message: softMessage, allowTypeImports: true }] : []),
        ],
      },
    ],
  },
})

const featureWalls = FEATURES.map((name) => {
  const others = FEATURES.filter((other) => other !== name)
  return withTypes(
    [`src/main/${name}/**/*.ts`],
    [
      'electron',
      'electron/*',
      '**/simulator/**',
      '**/renderer/**',
      '**/terminal.ts',
      '**/handlers.ts',
      ...others.map((other) => `../${other}/!(port.ts)`),
      ...others.map((other) => `../../${other}/!(port.ts)`),
    ],
    'a feature imports shared, service and its own folder; of other features only the types of port.ts',
    others.flatMap((other) => [`../${other}/port.ts`, `../../${other}/port.ts`]),
    'only types cross between features',
  )
})

export default ts.config(
  {
    ignores: [
      'node_modules/',
      'out/',
      'dist/',
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
  wall(
    ['src/shared/**/*.ts'],
    [...node, 'svelte', '../service/**', '../main/**', '../renderer/**', '../simulator/**'],
    'shared imports nothing of ours',
  ),
  wall(
    ['src/service/**/*.ts'],
    [...node, 'svelte', '**/main/**', '**/renderer/**', '**/simulator/**'],
    'service imports shared only',
  ),
  wall(
    ['src/simulator/**/*.ts'],
    ['electron', 'electron/*', '**/main/**', '**/renderer/**'],
    'the simulator imports shared and service only',
  ),
  ...featureWalls,
  withTypes(
    [
      'src/main/{terminal,handlers,dispatch,carrier,clock}.ts',
      'src/main/terminal/**/*.ts',
      'src/main/browser/**/*.ts',
      'src/main/cli/**/*.ts',
    ],
    ['electron', 'electron/*', '**/renderer/**', '**/electron/*'],
    'only main/electron, main/index and preload import electron',
    [],
    '',
  ),
  withTypes(
    ['src/renderer/**/*.ts', 'src/renderer/**/*.svelte'],
    [...node, '**/main/**', '**/simulator/**'],
    'the window knows the contract, not the terminal',
    ['**/service/**'],
    'the window knows the contract, not the service',
  ),
  wall(
    ['src/renderer/ui/**/*'],
    [
      ...node,
      '**/main/**',
      '**/service/**',
      '**/shared/**',
      '../state/**',
      '../panes/**',
      '../charts/**',
      '../workspace/**',
    ],
    'ui has no market knowledge and imports nothing of ours',
  ),
  wall(
    ['src/renderer/charts/**/*'],
    [...node, '**/main/**', '**/service/**', '../state/**', '../panes/**', '../workspace/**'],
    'charts import shared and ui only',
  ),
  {
    files: ['scripts/**/*.mjs', '*.js'],
    languageOptions: { globals: { ...globals.node } },
  },
  {
    files: ['src/main/cli.ts', 'src/main/cli/**/*.ts', 'benchmarks/**/*.ts', 'tests/**/*.ts'],
    rules: { 'no-console': 'off' },
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
