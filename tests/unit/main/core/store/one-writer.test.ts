import Database from 'better-sqlite3'
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { createRecorder } from '../../../../../src/main/core/recording/recorder.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { isLocked, lockStore } from '../../../../../src/main/core/store/schema/lock.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { OwnershipLost } from '../../../../../src/main/core/store/schema/ownership.ts'
import type { LibraryWriter, WriterEvent } from '../../../../../src/main/core/store/types/writer.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { realStorePath, refuseSecondName } from '../../../../../src/main/core/store/schema/store-path.ts'
import { unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { DEMO, readAll, T0, Writer } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

const writerThread = new URL('../../../../../src/main/store-worker.ts', import.meta.url)

let folder: ReturnType<typeof makeStoreFolder>
const open: { close(): Promise<void> }[] = []
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
  folder.remove()
})

const writing = async (file: string, worker?: URL): Promise<LibraryWriter> => {
  const writer = await openStoreWriter({ file, worker })
  open.push(writer)
  return writer
}
const reading = async (file: string) => {
  const reader = await openStoreReader({ file })
  open.push(reader)
  return reader
}

/** Starts a session that sends trades one at a time. Each promise resolves with the outcome. */
async function session(writer: LibraryWriter) {
  const id = await writer.begin(DEMO, unixMs(Date.now()))
  const batches = new Writer()
  const texts: string[] = []
  const send = (): Promise<WriterEvent> => {
    const { promise, resolve } = Promise.withResolvers<WriterEvent>()
    const off = writer.onEvent((event) => {
      off()
      resolve(event)
    })
    const text = tradeText('BTC-USD', 100 + batches.seq, 1, T0 + batches.seq)
    texts.push(text)
    writer.append(batches.batch([{ conn: 1, data: text }]))
    return promise
  }
  return { id, send, texts }
}

const stored = async (file: string, session: SessionId): Promise<string[]> =>
  (await readAll(await reading(file), 'crypto/XT', session)).map((row) => row.raw)
const problems = async (file: string) => (await (await reading(file)).verify(null)).problems

describe('a second path to a store that is being recorded', () => {
  it.each([
    ['a link to the file', (file: string, other: string) => symlinkSync(file, other)],
    ['a relative link', (_file: string, other: string) => symlinkSync('tapedeck.db', other)],
    [
      'a link to a link',
      (file: string, other: string) => {
        symlinkSync(file, `${other}-1`)
        symlinkSync(`${other}-1`, other)
      },
    ],
  ])('%s: refused with a sentence, and the first one continues', async (_what, link) => {
    const first = await session(await writing(folder.file))
    await first.send()
    const other = join(folder.path, 'other.db')
    link(folder.file, other)
    await expect(openStoreWriter({ file: other })).rejects.toMatchObject({
      code: 'store-locked',
      message: `Another Tapedeck is recording into ${folder.file}.`,
    })
    expect(isLocked(other)).toBe(true)
    expect(await first.send()).toMatchObject({ is: 'committed' })
    expect(await (await reading(other)).sessions()).toMatchObject([{ session: first.id, live: true, messages: 2 }])
    expect(await stored(other, first.id)).toEqual(first.texts)
    expect(await problems(folder.file)).toEqual([])
  })

  it('a link to its folder: refused', async () => {
    mkdirSync(join(folder.path, 'a'))
    symlinkSync(join(folder.path, 'a'), join(folder.path, 'b'))
    await session(await writing(join(folder.path, 'a', 'tapedeck.db')))
    await expect(openStoreWriter({ file: join(folder.path, 'b', 'tapedeck.db') })).rejects.toMatchObject({
      code: 'store-locked',
    })
  })

  it('a link that existed before the store: the lock is that of its target', async () => {
    const link = join(folder.path, 'link.db')
    symlinkSync(folder.file, link)
    await session(await writing(link))
    expect(existsSync(folder.file)).toBe(true)
    await expect(openStoreWriter({ file: folder.file })).rejects.toMatchObject({ code: 'store-locked' })
  })

  it('a loop of links ends without a target', () => {
    symlinkSync(join(folder.path, 'x'), join(folder.path, 'y'))
    symlinkSync(join(folder.path, 'y'), join(folder.path, 'x'))
    expect(realStorePath(join(folder.path, 'x'))).toContain(folder.path)
  })

  it('a hard link: no writer and no reader by either name, while the first one continues', async () => {
    const first = await session(await writing(folder.file))
    await first.send()
    const other = join(folder.path, 'other.db')
    linkSync(folder.file, other)
    for (const file of [other, folder.file]) {
      await expect(openStoreWriter({ file })).rejects.toMatchObject({ code: 'store-locked' })
      await expect(openStoreReader({ file })).rejects.toMatchObject({ code: 'store-locked' })
    }
    expect(existsSync(`${other}-wal`)).toBe(false)
    expect(await first.send()).toMatchObject({ is: 'committed' })
    unlinkSync(other)
    expect(await stored(folder.file, first.id)).toEqual(first.texts)
    expect(await problems(folder.file)).toEqual([])
  })

  it('a mount of the single file: refused; a mount of its folder shares the lock', () => {
    copyFileSync(new URL(import.meta.url), folder.file)
    const line = (at: string) => `36 35 98:0 /x ${at} rw,noatime master:1 - ext4 /dev/root rw\n`
    const spaced = join(folder.path, 'a b.db')
    copyFileSync(folder.file, spaced)
    const refusal = (file: string, mounts: string) => () => refuseSecondName(file, () => mounts)
    expect(refusal(folder.file, line('/') + line(folder.file))).toThrow(/mounted as a single file/)
    expect(refusal(spaced, line(spaced.replace(' ', '\\040')))).toThrow(/mounted as a single file/)
    expect(refusal(folder.file, line(folder.path) + line(`${folder.file}-other`))).not.toThrow()
  })
})

describe('a lock file that was deleted', () => {
  it('is created again with the next message, before another writer comes', async () => {
    const first = await session(await writing(folder.file))
    await first.send()
    unlinkSync(`${folder.file}.lock`)
    expect(await first.send()).toMatchObject({ is: 'committed' })
    await expect(openStoreWriter({ file: folder.file })).rejects.toMatchObject({ code: 'store-locked' })
    expect(await first.send()).toMatchObject({ is: 'committed' })
    expect(await problems(folder.file)).toEqual([])
  })

  it('a second writer that came in between is detected before a message is written', async () => {
    const writer = await writing(folder.file)
    const first = await session(writer)
    await first.send()
    unlinkSync(`${folder.file}.lock`)
    const second = await session(await writing(folder.file))
    await second.send()
    expect(await first.send()).toMatchObject({ is: 'died', failure: { code: 'store-locked' } })
    // The other writer holds the store, so no session can begin until it ends.
    await expect(writer.begin(DEMO, unixMs(Date.now()))).rejects.toMatchObject({ code: 'store-locked' })
    expect(await second.send()).toMatchObject({ is: 'committed' })
    expect(await stored(folder.file, first.id)).toEqual(first.texts.slice(0, 1))
    expect(await stored(folder.file, second.id)).toEqual(second.texts)
    const [old, now] = await (await reading(folder.file)).sessions()
    expect(old).toMatchObject({ session: first.id, live: false, clean: false, gaps: [{ cause: 'crash' }] })
    expect(now).toMatchObject({ session: second.id, live: true })
    expect(await problems(folder.file)).toEqual([])
  })

  it('the recorder reports it and begins a new session once the store is free', async () => {
    const writer = await writing(folder.file, writerThread)
    const recorder = createRecorder({ writer, clock: systemClock, newId: newSessionId })
    const first = await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    const send = (): string => {
      const text = tradeText('BTC-USD', 1, 1, systemClock.wallMs())
      const stamp = { wallMs: systemClock.wallMs(), monoNs: systemClock.monoNs() }
      recorder.frame(conn, new TextEncoder().encode(text), false, stamp)
      return text
    }
    const until = (ready: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (ready()) resolve()
          else setTimeout(look, 5)
        }
        look()
      })
    const before = send()
    await until(() => recorder.stats().stored === 1)
    unlinkSync(`${folder.file}.lock`)
    const second = await openStoreWriter({ file: folder.file })
    await second.begin(DEMO, unixMs(Date.now()))
    send()
    await until(() => recorder.state().is === 'broken')
    expect(recorder.state()).toMatchObject({ why: { code: 'store-locked' } })
    await second.end(unixMs(Date.now()), [])
    await second.close()
    let after = ''
    await until(() => {
      if (recorder.stats().stored < 2) after = send()
      return recorder.stats().stored >= 2
    })
    expect(recorder.state()).toMatchObject({ is: 'recording' })
    expect(recorder.session).not.toBe(first)
    const mine = recorder.session
    await recorder.stop()
    expect(await stored(folder.file, first)).toEqual([before])
    expect(mine && (await stored(folder.file, mine)).at(-1)).toBe(after)
    expect(await problems(folder.file)).toEqual([])
  })
})

describe('the store itself', () => {
  it('moved during recording: nothing more is written to it, and the reason is reported', async () => {
    const writer = await writing(folder.file)
    const first = await session(writer)
    await first.send()
    const away = join(folder.path, 'away.db')
    for (const suffix of ['', '-wal', '-shm']) renameSync(folder.file + suffix, away + suffix)
    expect(await first.send()).toMatchObject({ is: 'died', failure: { code: 'disk-error' } })
    expect(await stored(away, first.id)).toEqual(first.texts.slice(0, 1))
    const next = await session(writer)
    expect(await next.send()).toMatchObject({ is: 'committed' })
    expect(await stored(folder.file, next.id)).toEqual(next.texts)
    expect(await problems(away)).toEqual([])
  })

  it.each([
    ['an entry of the open session', "INSERT INTO entry VALUES (1, 2, 0, 0, '{}')"],
    ['the end of the open session', 'UPDATE recording SET ended_ms = 5'],
    ['the log of the store', "INSERT INTO store_log VALUES (2, 'begin', '{}', x'00')"],
  ])('changed by another program, in %s: no transaction of the engine is committed', (_what, change) => {
    const engine = new StoreEngine(folder.file)
    try {
      engine.begin(newSessionId(T0), DEMO, unixMs(T0))
      const batches = new Writer()
      const batch = () => batches.batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }])
      engine.commit([batch()])
      const other = new Database(folder.file)
      other.exec(change)
      other.close()
      expect(() => engine.commit([batch()])).toThrow(OwnershipLost)
      expect(() => engine.removeBookmark(1)).toThrow(OwnershipLost)
      expect(() => engine.begin(newSessionId(T0), DEMO, unixMs(T0 + 1))).toThrow(OwnershipLost)
      engine.end(unixMs(T0 + 2), [])
      expect(() => engine.drain()).toThrow(OwnershipLost)
    } finally {
      engine.close()
    }
  })

  it('written to while its lock file was gone: any foreign commit counts', () => {
    const engine = new StoreEngine(folder.file)
    const key = newSessionId(T0)
    try {
      engine.begin(key, DEMO, unixMs(T0))
      unlinkSync(`${folder.file}.lock`)
      const other = new StoreEngine(folder.file)
      other.addBookmark({ session: key, atMs: 0, seq: null, text: '' })
      other.close()
      expect(() => engine.removeBookmark(1)).toThrow(OwnershipLost)
    } finally {
      engine.close()
    }
  })

  it("doesn't count as changed after checkpoints and notes of other programs", () => {
    const engine = new StoreEngine(folder.file)
    try {
      engine.begin(newSessionId(T0), DEMO, unixMs(T0))
      const batches = new Writer()
      for (const change of [
        'PRAGMA wal_checkpoint(TRUNCATE)',
        "INSERT INTO bookmark (recording, at_ms, text) VALUES (1, 0, 'x')",
      ]) {
        engine.commit([batches.batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }])])
        const other = new Database(folder.file)
        other.exec(change)
        other.close()
        expect(engine.commit([batches.batch([{ conn: 1, data: tradeText('BTC-USD', 2, 1, T0) }])]).messages).toBe(1)
      }
    } finally {
      engine.close()
    }
  })

  it("doesn't count as changed by another program after a log change that was rolled back", () => {
    const engine = new StoreEngine(folder.file)
    try {
      const first = newSessionId(T0)
      engine.begin(first, DEMO, unixMs(T0))
      engine.end(unixMs(T0 + 1), [])
      engine.drain()
      engine.begin(newSessionId(T0 + 2), DEMO, unixMs(T0 + 2))
      expect(() => engine.library.erase([first, newSessionId(T0 + 3)])).toThrow(/There is no session/)
      const other = new Database(folder.file)
      other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      other.close()
      expect(engine.commit([new Writer().batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }])]).messages).toBe(1)
    } finally {
      engine.close()
    }
  })

  it("doesn't count as changed by readers, checkpoints and background work of its own", async () => {
    const engine = new StoreEngine(folder.file)
    try {
      engine.begin(newSessionId(T0), DEMO, unixMs(T0))
      const batches = new Writer()
      for (let i = 0; i < 50; i++) {
        engine.commit([batches.batch([{ conn: 1, data: tradeText('BTC-USD', i, 'x'.repeat(4_000), T0 + i) }])])
        const reader = await openStoreReader({ file: folder.file })
        await reader.sessions()
        await reader.close()
      }
      engine.end(unixMs(T0 + 60_000), [])
      engine.drain()
      engine.begin(newSessionId(T0), DEMO, unixMs(T0 + 60_000))
      expect(engine.commit([new Writer().batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }])]).messages).toBe(1)
    } finally {
      engine.close()
    }
  })

  it('a lock is released whatever happened to its file', () => {
    const lock = lockStore(folder.file)
    rmSync(`${folder.file}.lock`)
    lock.renew()
    expect(isLocked(folder.file)).toBe(true)
    lock.release()
    expect(isLocked(folder.file)).toBe(false)
  })
})
