import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { settleMove } from '../../../../../src/main/features/move-store/move-note.ts'
import { moveStore, planMove } from '../../../../../src/main/features/move-store/move.ts'
import { realStorePath } from '../../../../../src/main/core/store/schema/store-path.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let from: string
let to: string
let settings: string
beforeEach(() => {
  folder = makeFolder('moving')
  settings = from = join(folder, 'tapedeck.db')
  to = join(folder, 'made', 'there', 'tapedeck.db')
  writeFileSync(from, 'a store')
})

const free = () => ({ release: () => undefined })
const settle = () => settleMove(join(folder, 'home'), () => realStorePath(settings), free, realStorePath)
const NEVER = new Promise<never>(() => undefined)

/** Moves the store and dies at one place: what is to come never does. Resolves when it is there. */
async function killedAt(place: 'release' | 'resume'): Promise<void> {
  const plan = await planMove(from, join(folder, 'made', 'there'))
  const source = await open(from, 'r')
  const there = Promise.withResolvers<void>()
  /** A step of the move, which is never answered once the program is dead. */
  const step = (name: typeof place) => async (): Promise<void> => {
    if (name !== place) return
    there.resolve()
    await NEVER
  }
  void moveStore({
    ...plan,
    source,
    dataDir: join(folder, 'home'),
    release: step('release'),
    resume: step('resume'),
    lock: free,
    checkpoint: () => undefined,
    keep: (file) => {
      settings = file
    },
    onProgress: () => undefined,
    signal: new AbortController().signal,
  }).catch(() => undefined)
  await there.promise
  await source.close()
}
const left = (): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith('home'))
    .sort()

describe('a move that was killed', () => {
  it('while it copied: the copy and the folders that were made for it go, and the store stays', async () => {
    await killedAt('release')
    expect(existsSync(`${to}.moving`)).toBe(true)
    expect(settle()).toBe(
      `The move of the store to ${to} was interrupted and has been undone. The store stays in ${from}.`,
    )
    expect(left()).toEqual(['tapedeck.db'])
    expect(readFileSync(from, 'utf8')).toBe('a store')
    expect(settle()).toBeNull()
  })

  it('after the settings named the new place: the old one is emptied', async () => {
    await killedAt('resume')
    expect(settings).toBe(to)
    writeFileSync(`${from}-head`, 'of the store')
    expect(settle()).toBe(`The move of the store to ${to} was interrupted. It has been finished now.`)
    expect(left()).toEqual(['made', join('made', 'there'), join('made', 'there', 'tapedeck.db')])
    expect(settle()).toBeNull()
  })

  it('after the settings named the new place through a symbolic link: the store there stays', async () => {
    mkdirSync(join(folder, 'disk'))
    symlinkSync(join(folder, 'disk'), join(folder, 'made'))
    await killedAt('resume')
    // Nothing but the log has changed since: the new place was opened, and recorded into.
    writeFileSync(`${to}-wal`, 'recorded since')
    expect(settle()).toBe(`The move of the store to ${to} was interrupted. It has been finished now.`)
    expect(readFileSync(to, 'utf8')).toBe('a store')
    expect(readFileSync(`${to}-wal`, 'utf8')).toBe('recorded since')
    expect(existsSync(from)).toBe(false)
  })

  it('before the settings named the whole copy: it goes, and the store stays', async () => {
    await killedAt('resume')
    settings = from
    expect(settle()).toMatch(/has been undone. The store stays in /)
    expect(left()).toEqual(['tapedeck.db'])
  })

  it.each([
    ['the old one', () => from, () => to, /Another one remains at /],
    ['the new one', () => to, () => from, /another one is in /],
  ])('never deletes what changed since: %s', async (_what, changed, named, sentence) => {
    await killedAt('resume')
    settings = named()
    writeFileSync(changed(), 'something recorded since')
    expect(settle()).toMatch(sentence)
    expect(readFileSync(changed(), 'utf8')).toBe('something recorded since')
    expect(existsSync(named())).toBe(true)
  })

  it('is left alone while it still runs', async () => {
    await killedAt('release')
    const locked = () => {
      throw new Error('locked')
    }
    expect(settleMove(join(folder, 'home'), () => settings, locked, realStorePath)).toBeNull()
    expect(existsSync(`${to}.moving`)).toBe(true)
  })
})
