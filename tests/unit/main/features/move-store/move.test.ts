import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyPass } from '../../../../../src/main/features/move-store/copy.ts'
import { moveStore, planMove, type MoveOptions } from '../../../../../src/main/features/move-store/move.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let from: string
let target: string
let handles: FileHandle[]
beforeEach(() => {
  folder = makeFolder('moving')
  from = join(folder, 'tapedeck.db')
  target = join(folder, 'there')
  handles = []
  writeFileSync(from, pieces(3))
})
afterEach(async () => {
  for (const handle of handles) await handle.close()
})

/** Bytes of `n` pieces and a rest, no two pieces alike. */
function pieces(n: number, mark = 1): Buffer {
  const bytes = Buffer.alloc(n * (1 << 20) + 1_000)
  for (let i = 0; i < bytes.length; i += 512) bytes.writeUInt32LE(i * mark, Math.min(i, bytes.length - 4))
  return bytes
}
async function opened(): Promise<FileHandle> {
  const handle = await open(from, 'r')
  handles.push(handle)
  return handle
}

describe('a copy of a file that changes', () => {
  it('is brought up to date by what changed alone, grown or shrunk', async () => {
    const source = await opened()
    const to = join(folder, 'copy')
    const signal = new AbortController().signal
    const first = await copyPass({ from: source, to, before: null, onBytes: () => {}, signal })
    expect(first.bytes).toBe(statSync(from).size)
    // What the copy holds in a piece that did not change stays: nobody writes it a second time.
    const copied = readFileSync(to)
    copied[5] ^= 0xff
    writeFileSync(to, copied)
    appendFileSync(from, 'more')
    await copyPass({ from: source, to, before: first, onBytes: () => {}, signal })
    expect(
      readFileSync(to)
        .subarray(1 << 20)
        .equals(readFileSync(from).subarray(1 << 20)),
    ).toBe(true)
    expect(readFileSync(to)[5]).toBe(copied[5])
    writeFileSync(from, pieces(1, 7))
    const last = await copyPass({ from: source, to, before: null, onBytes: () => {}, signal })
    expect(readFileSync(to).equals(readFileSync(from))).toBe(true)
    expect(last.pieces).toHaveLength(2)
  })
})

describe('the plan of a move', () => {
  it('is for the file that a link leads to, with the journal beside it', async () => {
    const link = join(folder, 'link.db')
    symlinkSync(from, link)
    writeFileSync(`${from}-wal`, Buffer.alloc(1_000))
    const plan = await planMove(link, target)
    expect(plan).toMatchObject({ from, to: join(target, 'tapedeck.db'), bytes: statSync(from).size + 1_000 })
  })

  it('is refused with a sentence before anything is touched', async () => {
    await expect(planMove(from, 'relative')).rejects.toMatchObject({ code: 'usage' })
    await expect(planMove(from, folder)).rejects.toThrow('already in this folder')
    await expect(planMove(join(folder, 'none.db'), target)).rejects.toMatchObject({ code: 'not-found' })
    writeFileSync(join(folder, 'file'), '')
    await expect(planMove(from, join(folder, 'file', 'x'))).rejects.toThrow('Couldn’t create the folder')
    mkdirSync(target)
    writeFileSync(join(target, 'tapedeck.db'), 'another')
    await expect(planMove(from, target)).rejects.toThrow('already exists')
  })

  it('asks for room for the store, its journal and some more', async () => {
    writeFileSync(`${from}-wal`, Buffer.alloc(5_000_000))
    const refused = planMove(from, target, async () => 60e6)
    await expect(refused).rejects.toMatchObject({ code: 'disk-full' })
    await expect(refused).rejects.toThrow(/\b8\.\d MB, and 12\.\d MB more/)
    const all = statSync(from).size + 5_000_000
    await expect(planMove(from, target, async () => all + 64e6 - 400)).rejects.toThrow(
      'and 400 bytes more must be free',
    )
    expect(await planMove(from, target, async () => all + 64e6)).toMatchObject({ bytes: all })
  })
})

describe('a move', () => {
  interface Told {
    readonly steps: string[]
    readonly stop: AbortController
  }
  async function run(part: (told: Told) => Partial<MoveOptions> = () => ({})) {
    const told: Told = { steps: [], stop: new AbortController() }
    const plan = await planMove(from, target)
    const done = moveStore({
      ...plan,
      source: await opened(),
      release: async () => void told.steps.push('release'),
      resume: async (file) => void told.steps.push(`resume ${file === from ? 'old' : 'new'}`),
      lock: (file) => ({ release: () => void (file === from && told.steps.push('unlock')) }),
      checkpoint: () => void told.steps.push('checkpoint'),
      dataDir: join(folder, 'home'),
      keep: () => void told.steps.push('keep'),
      onProgress: (part) => expect(part).toBeLessThan(1),
      signal: told.stop.signal,
      ...part(told),
    })
    return { done, told }
  }
  const there = () => join(target, 'tapedeck.db')

  it('copies what was written until the store was let go, then empties the old place', async () => {
    const { done, told } = await run(({ steps }) => ({
      release: async () => {
        steps.push('release')
        appendFileSync(from, 'the last flush')
        writeFileSync(`${from}-wal`, 'of a reader elsewhere')
      },
    }))
    expect(await done).toMatchObject({ path: there(), leftovers: false })
    expect(readFileSync(there()).subarray(-14).toString()).toBe('the last flush')
    expect(readFileSync(`${there()}-wal`, 'utf8')).toBe('of a reader elsewhere')
    expect(existsSync(from)).toBe(false)
    expect(told.steps).toEqual(['release', 'checkpoint', 'keep', 'unlock', 'resume new'])
  })

  it('that is cancelled while it copies leaves everything as it was', async () => {
    const { done, told } = await run(({ stop }) => ({ onProgress: () => stop.abort() }))
    await expect(done).rejects.toMatchObject({ code: 'cancelled' })
    expect(told.steps).toEqual([])
    expect(existsSync(`${there()}.moving`)).toBe(false)
    expect(existsSync(from)).toBe(true)
  })

  it.each<[string, (told: Told) => Partial<MoveOptions>]>([
    ['while most of it is copied', ({ stop }) => ({ onProgress: () => stop.abort() })],
    [
      'while the store is let go',
      ({ stop, steps }) => ({ release: async () => void (steps.push('release'), stop.abort()) }),
    ],
    [
      'while it is brought into one file',
      ({ stop, steps }) => ({ checkpoint: () => void (steps.push('c'), stop.abort()) }),
    ],
    [
      'while the rest is copied',
      ({ stop, steps }) => ({ onProgress: () => void (steps.includes('release') && stop.abort()) }),
    ],
    [
      'while the journal is copied',
      ({ stop, steps }) => ({
        release: async () => {
          steps.push('release')
          writeFileSync(`${from}-wal`, Buffer.alloc(3 << 20, 1))
        },
        // Four pieces of the store in each pass; the next one is of the journal.
        onProgress: () => void (steps.push('piece') > 10 && stop.abort()),
      }),
    ],
  ])('that is cancelled %s leaves the old store whole and nothing of the new one', async (_when, part) => {
    const { done, told } = await run(part)
    const stopped = await done.catch((thrown: unknown) => thrown)
    expect(stopped).toMatchObject({ code: 'cancelled', message: 'The move was canceled.' })
    expect(readFileSync(from).equals(pieces(3))).toBe(true)
    // Also the folder that was made for it.
    expect(existsSync(target)).toBe(false)
    if (told.steps.includes('release')) expect(told.steps.at(-1)).toBe('resume old')
  })

  it('goes back to the old store when the new place is gone so that not even its rest can be removed', async () => {
    const { done, told } = await run(({ steps }) => ({
      keep: () => {
        steps.push('keep')
        rmSync(target, { recursive: true })
        writeFileSync(target, 'no folder any more')
        throw new Error('the disk was pulled')
      },
    }))
    await expect(done).rejects.toThrow('the disk was pulled')
    expect(told.steps.at(-1)).toBe('resume old')
    expect(readFileSync(from).equals(pieces(3))).toBe(true)
  })

  it('that is cancelled once the new place is noted is done', async () => {
    const { done, told } = await run(({ steps, stop }) => ({ keep: () => void (steps.push('keep'), stop.abort()) }))
    expect(await done).toMatchObject({ path: there(), leftovers: false })
    expect(told.steps.at(-1)).toBe('resume new')
    expect(existsSync(from)).toBe(false)
  })

  it('that is cancelled leaves a folder that was there, and what lies in one that was made', async () => {
    mkdirSync(target)
    const { done } = await run(({ stop }) => ({ onProgress: () => stop.abort() }))
    await expect(done).rejects.toMatchObject({ code: 'cancelled' })
    expect(existsSync(target)).toBe(true)
    target = join(folder, 'deep', 'er')
    const second = await run(({ stop }) => ({
      onProgress: () => {
        writeFileSync(join(folder, 'deep', 'note.txt'), 'mine')
        stop.abort()
      },
    }))
    await expect(second.done).rejects.toMatchObject({ code: 'cancelled' })
    expect([existsSync(target), existsSync(join(folder, 'deep', 'note.txt'))]).toEqual([false, true])
  })

  it('that fails once the store was let go goes on at the old place', async () => {
    for (const part of [
      (): Partial<MoveOptions> => ({
        lock: (file) => {
          if (file === from) throw new Error('locked')
          return { release: () => undefined }
        },
      }),
      ({ stop, steps }: Told): Partial<MoveOptions> => ({
        release: async () => {
          steps.push('release')
          stop.abort()
        },
      }),
      (): Partial<MoveOptions> => ({
        keep: () => {
          throw new Error('the settings cannot be saved')
        },
      }),
    ]) {
      const { done, told } = await run(part)
      await expect(done).rejects.toThrow()
      expect(told.steps.at(-1)).toBe('resume old')
      expect([there(), `${there()}.moving`, `${there()}-wal`].filter((file) => existsSync(file))).toEqual([])
      expect(readFileSync(from).equals(pieces(3))).toBe(true)
    }
  })
})
