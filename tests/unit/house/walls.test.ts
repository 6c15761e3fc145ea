import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CIRCULAR,
  EXCEPTIONS,
  findFileCircles,
  findFolderCircles,
  findWall,
  readImports,
} from '../../../scripts/house/walls.mjs'

const WIDEST = 20

const files = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => posix.join(entry.parentPath.replaceAll('\\', '/'), entry.name).slice('src/'.length))
const imports = files
  .filter((file) => /\.(ts|svelte)$/.test(file))
  .flatMap((from) => readImports(from, readFileSync(`src/${from}`, 'utf8')).map((one) => ({ from, ...one })))
const crossings = imports
  .filter(({ from, to, typesOnly }) => findWall(from, to, typesOnly) !== null)
  .map(({ from, to }) => `${from} -> ${to}`)

describe('the house', () => {
  it('reads every import of the sources', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(imports.length).toBeGreaterThan(3 * files.length)
    const lost = imports.filter(({ to }) => /\.(ts|svelte)$/.test(to) && !files.includes(to))
    expect(lost).toEqual([])
  })

  it('has no import across a wall that is not on the list of exceptions', () => {
    expect(crossings.filter((one) => !EXCEPTIONS.has(one))).toEqual([])
  })

  it('lists no exception that is gone', () => {
    expect([...EXCEPTIONS].filter((one) => !crossings.includes(one))).toEqual([])
  })

  it('has no files that import each other in a circle, not even for types', () => {
    expect(findFileCircles(imports)).toEqual([])
  })

  it(`has no folder of more than ${WIDEST} files`, () => {
    const widths = Map.groupBy(files, (file) => posix.dirname(file))
    expect([...widths].filter(([, inside]) => inside.length > WIDEST).map(([folder]) => folder)).toEqual([])
  })
})

describe('features of main', () => {
  const LISTS = ['main/hosts/features.ts', 'main/hosts/cli/table.ts']
  // Of the others some are needed by features or used by hosts.
  it.each(['evidence', 'sample', 'watchlist'])('can go without %s: only the lists import it', (name) => {
    const own = `main/features/${name}/`
    const importers = imports.filter(({ from, to }) => to.startsWith(own) && !from.startsWith(own))
    expect(importers.length).toBeGreaterThan(0)
    expect(importers.map(({ from }) => from).filter((from) => !LISTS.includes(from))).toEqual([])
  })
})

describe('folders', () => {
  const inside = (folder: string, root: string): boolean => folder === root || folder.startsWith(`${root}/`)
  const circles = findFolderCircles(imports)

  it('import each other in no circle, not even for types or between a folder and its subfolders', () => {
    expect(circles.filter((circle) => !CIRCULAR.some((root) => circle.every((one) => inside(one, root))))).toEqual([])
  })

  it.each(CIRCULAR)('are still in a circle below %s', (root) => {
    expect(circles.some((circle) => circle.every((one) => inside(one, root)))).toBe(true)
  })

  it('are reported with every folder of their circle', () => {
    const edges = ['a/b/1 a/c/2', 'a/c/3 a/d/4', 'a/d/5 a/b/6', 'a/e/7 a/b/8', 'a/9 a/f/10', 'a/f/11 a/12']
    const found = findFolderCircles(
      edges.map((edge) => ({ from: edge.split(' ')[0] ?? '', to: edge.split(' ')[1] ?? '' })),
    )
    expect(found).toEqual([
      ['a/b', 'a/c', 'a/d'],
      ['a', 'a/f'],
    ])
  })
})

describe('files', () => {
  it('are reported with every file of their circle', () => {
    const edges = ['a/1.ts a/2.ts', 'a/2.ts b/3.ts', 'b/3.ts a/1.ts', 'a/1.ts b/4.ts', 'b/5.svelte a/1.ts']
    const found = findFileCircles(
      edges.map((edge) => ({ from: edge.split(' ')[0] ?? '', to: edge.split(' ')[1] ?? '' })),
    )
    expect(found).toEqual([['a/1.ts', 'a/2.ts', 'b/3.ts']])
  })
})

describe('a wall', () => {
  it.each([
    ['shared/core/market/bars.ts', 'main/base/clock.ts', false, "shared can't import from main"],
    ['renderer/core/market/quotes.ts', 'service/feeds.ts', false, 'renderer can import only types from service'],
    ['renderer/core/market/quotes.ts', 'service/feeds.ts', true, null],
    ['main/core/market/hub.ts', 'main/features/alerts/alerts.ts', true, 'main/core is below main/features'],
    ['main/features/alerts/alerts.ts', 'main/core/market/hub.ts', false, null],
    ['main/features/alerts/alerts.ts', 'main/features/replay/rig.ts', true, null],
    [
      'main/features/alerts/alerts.ts',
      'main/features/replay/rig.ts',
      false,
      'features meet in feature.ts: alerts can import only types from replay',
    ],
    ['main/features/alerts/feature.ts', 'main/features/replay/feature.ts', false, null],
    ['main/things/a.ts', 'main/base/clock.ts', false, "src/main/things isn't a shelf: add it to SHELVES, in order"],
    ['main/core/account/cli.ts', 'main/index.ts', false, 'main/core/account/cli.ts imports an entry point'],
    ['main/index.ts', 'main/hosts/electron/app.ts', false, null],
  ])('%s -> %s (only types: %s): %s', (from, to, typesOnly, why) => {
    expect(findWall(from, to, typesOnly)).toBe(why)
  })

  it('is found behind every kind of import', () => {
    const text = `import type { A } from './a.ts'
import { type B, c } from '../b.ts'
import { type D } from './d.ts'
export * from './e.ts'
import './f.css?inline'
const g = await import('./g.ts')
import {
  h,
  type I,
} from './h.svelte'
`
    expect(readImports('main/core/x.ts', text)).toEqual([
      { to: 'main/core/a.ts', typesOnly: true },
      { to: 'main/b.ts', typesOnly: false },
      { to: 'main/core/d.ts', typesOnly: true },
      { to: 'main/core/e.ts', typesOnly: false },
      { to: 'main/core/f.css', typesOnly: false },
      { to: 'main/core/g.ts', typesOnly: false },
      { to: 'main/core/h.svelte', typesOnly: false },
    ])
  })
})
