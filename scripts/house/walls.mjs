/**
 * Which file may import which. Each process under `src` is a stack of shelves; a file imports its own shelf and the
 * shelves below it. Features don't import each other except in `feature.ts` or for types. The table is read by oxlint (see
 * oxlint.mjs), for components by ESLint (see eslint.config.js), by the house test, and by docs/architecture.md.
 */
import { readFileSync } from 'node:fs'
import { dirname, posix, relative, resolve, sep } from 'node:path'

/** Shelves of each process, from the bottom up. */
const SHELVES = {
  shared: ['base', 'rpc', 'core', 'features'],
  main: ['base', 'rpc', 'terminal', 'command-line', 'core', 'features', 'hosts'],
  renderer: ['styles', 'base', 'text', 'rpc', 'ui', 'charts', 'core', 'features'],
}

/** What each process may import from the others. */
const PROCESSES = {
  shared: {},
  service: { shared: 'all' },
  server: { shared: 'all', service: 'all' },
  simulator: { shared: 'all', service: 'all', server: 'all' },
  main: { shared: 'all', service: 'all', server: 'all', simulator: 'types' },
  preload: { shared: 'all' },
  renderer: { shared: 'all', service: 'types' },
}

/** Entry points wire the shelves together, and `simulate` serves the demo market: they may import anything. */
const UNRESTRICTED = [/^main\/[\w-]+\.ts$/, /^renderer\/[\w-]+\.(ts|svelte)$/, /^main\/hosts\/cli\/simulate\.ts$/]

/** Imports that still cross a wall, as "from -> to". Delete a line when its import is gone; never add one. */
export const EXCEPTIONS = new Set(JSON.parse(readFileSync(new URL('exceptions.json', import.meta.url), 'utf8')))

/** A path below `src`, split into process, shelf and part: `main/features/alerts/feature.ts` has the part `alerts`. */
function place(path) {
  const parts = path.split('/')
  return {
    process: parts[0],
    shelf: parts.length > 2 ? parts[1] : null,
    part: parts.length > 3 ? parts[2] : null,
    file: parts.at(-1),
  }
}

/**
 * Why `from` may not import `to`, or null if it may. Ignores the exceptions.
 * @param {string} from path below `src`
 * @param {string} to path below `src`
 * @param {boolean} typesOnly whether the import brings in nothing but types
 */
export function findWall(from, to, typesOnly) {
  const [a, b] = [place(from), place(to)]
  if (UNRESTRICTED.some((pattern) => pattern.test(from))) return null
  if (a.process !== b.process) {
    const allowed = PROCESSES[a.process]?.[b.process]
    if (allowed === undefined) return `${a.process} can't import from ${b.process}`
    if (allowed === 'types' && !typesOnly) return `${a.process} can import only types from ${b.process}`
    return null
  }
  const order = SHELVES[a.process]
  if (order === undefined || a.shelf === null) return null
  if (b.shelf === null) return `${from} imports an entry point`
  const [lower, upper] = [order.indexOf(a.shelf), order.indexOf(b.shelf)]
  if (lower < 0) return `src/${a.process}/${a.shelf} isn't a shelf: add it to SHELVES, in order`
  if (lower < upper) return `${a.process}/${a.shelf} is below ${a.process}/${b.shelf}`
  const crossesFeatures = a.shelf === 'features' && b.shelf === 'features' && a.part !== b.part
  if (
    crossesFeatures &&
    a.process !== 'shared' &&
    !typesOnly &&
    !(a.file === 'feature.ts' && b.file === 'feature.ts')
  ) {
    return `features meet in feature.ts: ${a.part} can import only types from ${b.part}`
  }
  return null
}

const onlyTypes = (node) =>
  node.importKind === 'type' ||
  node.exportKind === 'type' ||
  (node.specifiers?.length > 0 &&
    node.specifiers.every((one) => one.importKind === 'type' || one.exportKind === 'type'))

/** The rule, for ESLint and oxlint alike. It resolves each import, so it works alike in `.ts` and `.svelte` files. */
export const walls = {
  meta: { type: 'problem', schema: [], messages: { wall: '{{why}}' } },
  create(context) {
    const src = resolve(context.cwd, 'src')
    const below = (file) => relative(src, file).split(sep).join('/')
    const from = below(context.filename)
    const check = (node, typesOnly) => {
      const specifier = node.source?.value
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return
      const to = below(resolve(dirname(context.filename), specifier.replace(/\?.*$/, '')))
      if (from.startsWith('..') || to.startsWith('..') || EXCEPTIONS.has(`${from} -> ${to}`)) return
      const why = findWall(from, to, typesOnly)
      if (why !== null) context.report({ node, messageId: 'wall', data: { why } })
    }
    return {
      ImportDeclaration: (node) => check(node, onlyTypes(node)),
      ExportNamedDeclaration: (node) => check(node, onlyTypes(node)),
      ExportAllDeclaration: (node) => check(node, onlyTypes(node)),
      ImportExpression: (node) => check(node, false),
    }
  },
}

const noNode = ['node:*', 'electron', 'electron/*', 'better-sqlite3', 'ws', 'undici', 'keytar']

/** The part of the ESLint configuration that guards the house in components. Other files: .oxlintrc.json. */
export const houseWalls = [
  {
    files: ['src/**/*.svelte'],
    plugins: { house: { rules: { walls } } },
    rules: {
      'house/walls': 'error',
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ group: noNode, message: 'this code runs in a browser' }] },
      ],
    },
  },
]

/** Every relative import in the source text of a `.ts` or `.svelte` file: where it leads, and whether only types cross. */
export function readImports(path, text) {
  const found = []
  const STATEMENT =
    /(?:^|\n)\s*(?:import|export)(\s+type)?\s+([^'";]*?)\bfrom\s*'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)|(?:^|\n)\s*import\s+'(\.[^']+)'/g
  for (const [, type, clause = '', from, dynamic, bare] of text.matchAll(STATEMENT)) {
    const specifier = (from ?? dynamic ?? bare).replace(/\?.*$/, '')
    const names = /^\{([^}]*)\}\s*$/
      .exec(clause.trim())?.[1]
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
    const typesOnly = type !== undefined || (names?.length > 0 && names.every((name) => name.startsWith('type ')))
    found.push({ to: posix.normalize(posix.join(posix.dirname(path), specifier)), typesOnly })
  }
  return found
}

/** Folders whose subfolders still import each other in a circle. Delete a line when its circle is gone; never add one. */
export const CIRCULAR = ['main/features/team']

/**
 * Those that reach each other in a circle, one sorted list for each circle.
 * @param {Map<string, Set<string>>} targets what each imports
 */
function findCircles(targets) {
  const reachable = (start) => {
    const seen = new Set()
    const pending = [start]
    while (pending.length > 0) {
      for (const next of targets.get(pending.pop()) ?? []) {
        if (!seen.has(next)) pending.push(next)
        seen.add(next)
      }
    }
    return seen
  }
  const reach = new Map([...targets.keys()].map((one) => [one, reachable(one)]))
  const circles = [...reach.keys()]
    .filter((one) => reach.get(one).has(one))
    .map((one) => [...reach.get(one)].filter((other) => reach.get(other)?.has(one)).sort())
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()]
}

/**
 * The files that import each other in a circle, imports of types included, one sorted list for each circle.
 * @param {readonly { from: string, to: string }[]} imports paths of files below `src`
 */
export function findFileCircles(imports) {
  const targets = new Map()
  for (const { from, to } of imports) targets.set(from, (targets.get(from) ?? new Set()).add(to))
  return findCircles(targets)
}

/**
 * The folders that import each other in a circle, imports of types included, one sorted list for each circle. A folder
 * and its subfolders count as separate folders.
 * @param {readonly { from: string, to: string }[]} imports paths of files below `src`
 */
export function findFolderCircles(imports) {
  const folders = imports.map(({ from, to }) => ({ from: posix.dirname(from), to: posix.dirname(to) }))
  return findFileCircles(folders.filter(({ from, to }) => from !== to))
}
