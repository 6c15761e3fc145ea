/**
 * A write-ahead log that was corrupted, truncated or replaced by an earlier state is detected, and saved before it is
 * overwritten.
 */
import Database from 'better-sqlite3'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { headFile, readHead } from '../../../../../src/main/core/store/wal/store-head.ts'
import { openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import type { StoreNotice } from '../../../../../src/main/core/store/types/writer.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { DEMO, readEverything, T0, Writer } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

const FRAME = 24 + 2048
let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const commit = (engine: StoreEngine, writer: Writer, times: number): void => {
  for (let i = 0; i < times; i++) engine.commit([writer.batch([{ conn: 1, data: tradeText('BTC-USD', i, 1, T0 + i) }])])
}

/** Copies the files of a store as a `kill -9` leaves them: every write is there and nothing is closed. */
function copyAsKilled(file: string, to: string): void {
  for (const suffix of ['', '-wal', '-head']) {
    rmSync(to + suffix, { force: true })
    if (existsSync(file + suffix)) copyFileSync(file + suffix, to + suffix)
  }
  rmSync(`${to}-shm`, { force: true })
}

/** A closed session in the file, and one of 20 messages in the log. */
function makeKilled(): { readonly killed: string; readonly engine: StoreEngine; readonly writer: Writer } {
  const engine = new StoreEngine(folder.file)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  commit(engine, new Writer(), 10)
  engine.end(unixMs(T0 + 1_000), [])
  engine.drain()
  engine.begin(newSessionId(T0 + 2_000), DEMO, unixMs(T0 + 2_000))
  const writer = new Writer()
  commit(engine, writer, 20)
  const killed = join(folder.path, 'killed.db')
  copyAsKilled(folder.file, killed)
  return { killed, engine, writer }
}

async function problemsOf(file: string): Promise<readonly string[]> {
  const reader = openLocalReader(file)
  try {
    return (await reader.verify(null)).problems.map(({ kind, detail }) => `${kind}: ${detail}`)
  } finally {
    await reader.close()
  }
}

const framesOf = (file: string): number => (statSync(`${file}-wal`).size - 32) / FRAME

function flipFrame(file: string, frame: number): void {
  const bytes = readFileSync(`${file}-wal`)
  const at = 32 + frame * FRAME + 24 + 1_000
  bytes[at] = bytes[at] ^ 1
  writeFileSync(`${file}-wal`, bytes)
}

const beside = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => /\.(corrupt|lost|unused)-/.test(name) && name.startsWith(basename(file)))

describe('verifying a store after kill -9', () => {
  it('reports nothing if nothing is corrupt, with or without the head', async () => {
    const { killed, engine } = makeKilled()
    expect(await problemsOf(killed)).toEqual([])
    rmSync(headFile(killed))
    expect(await problemsOf(killed)).toEqual([])
    engine.close()
    expect(await problemsOf(folder.file)).toEqual([])
  })

  it('reports a flip in any frame, and a log truncated anywhere', async () => {
    const { killed, engine } = makeKilled()
    const frames = framesOf(killed)
    for (const frame of [0, 1, frames >> 1, frames - 2, frames - 1]) {
      copyAsKilled(folder.file, killed)
      flipFrame(killed, frame)
      expect([frame, await problemsOf(killed)]).toEqual([
        frame,
        expect.arrayContaining([expect.stringMatching(/^torn: .*is corrupt/)]),
      ])
      copyAsKilled(folder.file, killed)
      truncateSync(`${killed}-wal`, 32 + frame * FRAME)
      expect([frame, await problemsOf(killed)]).toEqual([
        frame,
        expect.arrayContaining([expect.stringMatching(/^missing: the write-ahead log .* is truncated$/)]),
      ])
    }
    copyAsKilled(folder.file, killed)
    truncateSync(`${killed}-wal`, 0)
    expect(await problemsOf(killed)).toEqual([
      expect.stringMatching(/^missing: the store’s latest commits are missing: row 3/),
    ])
    engine.close()
  })

  it('reports it on the command line and exits 1', async () => {
    const { killed, engine } = makeKilled()
    const sound = commandContext({ dataDir: folder.path })
    expect(await runCommandLine(['verify', '--store', killed], sound)).toBe(0)
    flipFrame(killed, 3)
    const plain = commandContext({ dataDir: folder.path })
    expect(await runCommandLine(['verify', '--store', killed], plain)).toBe(1)
    expect(plain.output()).toContain('killed.db-wal is corrupt')
    expect(plain.output()).toContain('NOT as recorded')
    const json = commandContext({ dataDir: folder.path })
    expect(await runCommandLine(['verify', '--store', killed, '--json'], json)).toBe(1)
    expect(JSON.parse(json.output())).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([expect.objectContaining({ session: '', kind: 'torn', feed: null })]),
    })
    engine.close()
  })

  it('reports nothing about a log that another program copied into the file', async () => {
    const { killed, engine } = makeKilled()
    const other = new Database(killed)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    expect(existsSync(`${killed}-wal`)).toBe(false)
    expect(await problemsOf(killed)).toEqual([])
    engine.close()
  })

  it('detects an older log, and an older store after a clean end', async () => {
    const { killed, engine, writer } = makeKilled()
    const older = readFileSync(`${killed}-wal`)
    const file = readFileSync(killed)
    commit(engine, writer, 5)
    copyAsKilled(folder.file, killed)
    writeFileSync(`${killed}-wal`, older)
    expect(await problemsOf(killed)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^missing: the write-ahead log .* is truncated$/)]),
    )
    engine.end(unixMs(T0 + 9_000), [])
    engine.drain()
    engine.close()
    expect(await problemsOf(folder.file)).toEqual([])
    writeFileSync(folder.file, file)
    expect(await problemsOf(folder.file)).toEqual([
      expect.stringMatching(/^missing: the store’s latest commits are missing: row 4 .* ends at row 2$/),
    ])
  })

  it('raises no alarm while a writer commits, seals, checkpoints and empties the log', async () => {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    const reader = openLocalReader(folder.file)
    for (let session = 0; session < 3; session++) {
      engine.begin(newSessionId(now), DEMO, unixMs(now))
      const writer = new Writer()
      for (let round = 0; round < 6; round++) {
        commit(engine, writer, 10)
        expect((await reader.verify(null)).problems).toEqual([])
        now += 40_000
        engine.drain()
        expect((await reader.verify(null)).problems).toEqual([])
      }
      engine.end(unixMs(now), [])
      engine.drain()
    }
    await reader.close()
    engine.close()
  })
})

describe('opening a store for writing', () => {
  async function reopen(
    file: string,
  ): Promise<{ notices: StoreNotice[]; raws: number; causes: string[]; clean: boolean[] }> {
    const notices: StoreNotice[] = []
    const writer = await openStoreWriter({ file, onNotice: (notice) => notices.push(notice) })
    await writer.begin(DEMO, unixMs(T0 + 100_000))
    await writer.end(unixMs(T0 + 100_001), [])
    await writer.close()
    const reader = openLocalReader(file)
    const sessions = await reader.sessions()
    const raws = (await readEverything(reader)).length
    await reader.close()
    const causes = sessions.flatMap((row) => row.gaps.map((gap) => gap.cause))
    return { notices, raws, causes, clean: sessions.map((row) => row.clean) }
  }

  it('saves a corrupt log readable only by its owner, keeps what is valid, marks the rest as lost by the disk', async () => {
    const { killed, engine } = makeKilled()
    flipFrame(killed, framesOf(killed) >> 1)
    const bad = readFileSync(`${killed}-wal`)
    const { notices, raws, causes } = await reopen(killed)
    expect(notices.map(({ message }) => message)[0]).toMatch(
      /^The store’s write-ahead log is corrupt\. .* saved as killed\.db-wal\.corrupt-/,
    )
    expect(notices[0]?.hint).toContain('tapedeck verify')
    const [saved, ...others] = beside(killed)
    expect(others).toEqual([])
    expect(saved).toMatch(/-wal\.corrupt-/)
    expect(readFileSync(join(folder.path, saved ?? '')).equals(bad)).toBe(true)
    expect(statSync(join(folder.path, saved ?? '')).mode & 0o777).toBe(0o600)
    expect(raws).toBeGreaterThan(10)
    expect(raws).toBeLessThan(30)
    expect(causes).toEqual(['disk'])
    // Verification keeps reporting the loss until the user removes the saved files.
    expect((await problemsOf(killed)).every((text) => text.includes('once lost its latest commits'))).toBe(true)
    expect((await problemsOf(killed)).length).toBe(1)
    for (const name of beside(killed)) rmSync(join(folder.path, name))
    expect(await problemsOf(killed)).toEqual([])
    expect((await reopen(killed)).notices).toEqual([])
    engine.close()
  })

  it('stays closed if a corrupt log can’t be saved, and changes nothing', async () => {
    const { killed, engine } = makeKilled()
    flipFrame(killed, 3)
    const bad = readFileSync(`${killed}-wal`)
    const now = new Date(T0)
    vi.useFakeTimers({ now, toFake: ['Date'] })
    try {
      // Another file has the name of the copy.
      mkdirSync(`${killed}-wal.corrupt-${now.toISOString().replace(/[:.]/g, '-')}`)
      await expect(openStoreWriter({ file: killed })).rejects.toMatchObject({ code: 'disk-error' })
    } finally {
      vi.useRealTimers()
    }
    expect(readFileSync(`${killed}-wal`).equals(bad)).toBe(true)
    engine.close()
  })

  it('loses nothing if everything in the corrupt log had reached the file', async () => {
    const { killed, engine } = makeKilled()
    const head = readHead(killed)
    expect(head?.isInFile).toBe(false)
    const big = new Writer()
    engine.end(unixMs(T0 + 9_000), [])
    engine.drain()
    engine.begin(newSessionId(T0 + 10_000), DEMO, unixMs(T0 + 10_000))
    const text = tradeText('BTC-USD', '1'.padEnd(500_000, '0'), 1, T0)
    for (let i = 0; i < 100 && readHead(folder.file)?.isInFile !== true; i++) {
      engine.commit([big.batch([{ conn: 1, data: text }])])
      engine.copyLogIfDue()
    }
    expect(readHead(folder.file)?.isInFile).toBe(true)
    copyAsKilled(folder.file, killed)
    expect(framesOf(killed)).toBeGreaterThan(4_000)
    flipFrame(killed, 2_000)
    expect(await problemsOf(killed)).toContainEqual(expect.stringMatching(/^torn: .*is corrupt/))
    const { notices, raws, causes } = await reopen(killed)
    expect(notices.map(({ message }) => message)).toEqual([expect.stringContaining('nothing was lost')])
    expect(raws).toBe(30 + big.seq)
    expect(causes).toEqual(['crash'])
    expect(await problemsOf(killed)).toEqual([])
    engine.close()
  })

  it("doesn't call a session crashed that was closed, even if its close record is lost", async () => {
    const { engine } = makeKilled()
    const reader = openLocalReader(folder.file)
    reader.queries.db.exec('BEGIN')
    reader.queries.db.prepare('SELECT count(*) FROM journal').get()
    const before = readHead(folder.file)?.position?.frames ?? NaN
    engine.end(unixMs(T0 + 9_000), [])
    engine.drain()
    const killed = join(folder.path, 'killed.db')
    copyAsKilled(folder.file, killed) // the reader kept the close record from being copied into the file
    expect(readHead(killed)?.closed?.clean).toBe(true)
    flipFrame(killed, before)
    const { causes, clean } = await reopen(killed)
    expect(causes).toEqual(['disk'])
    expect(clean).toEqual([true, true, true])
    reader.queries.db.exec('COMMIT')
    await reader.close()
    engine.close()
  })

  it('reports that a store was replaced by an earlier state, or is missing', async () => {
    const { engine } = makeKilled()
    const file = readFileSync(folder.file)
    engine.end(unixMs(T0 + 9_000), [])
    engine.drain()
    engine.close()
    writeFileSync(folder.file, file)
    const back = await reopen(folder.file)
    expect(back.notices[0]?.message).toMatch(
      /^The store’s latest commits are missing: row 4 .* saved as tapedeck\.db-head\.lost-/,
    )
    expect((await problemsOf(folder.file)).length).toBe(1)
    rmSync(folder.file)
    const gone = await reopen(folder.file)
    expect(gone.notices.map(({ message }) => message)).toEqual([expect.stringMatching(/^The store at .* is missing/)])
  })

  it("closes what it opened if a store with missing commits can't be opened, so that it can be opened later", async () => {
    const { engine } = makeKilled()
    const file = readFileSync(folder.file)
    engine.end(unixMs(T0 + 9_000), [])
    engine.drain()
    engine.close()
    writeFileSync(folder.file, file)
    // The head can't be copied to its name.
    const now = vi.spyOn(Date, 'now').mockReturnValue(T0)
    const taken = `${headFile(folder.file)}.lost-2026-01-05T10-00-00-000Z`
    mkdirSync(taken)
    const close = vi.spyOn(Database.prototype, 'close')
    try {
      expect(() => new StoreEngine(folder.file)).toThrow(expect.objectContaining({ code: 'disk-error' }))
      const closed = (close.mock.contexts as Database.Database[]).map(
        ({ name, readonly }) => `${basename(name)}${readonly ? ' (read-only)' : ''}`,
      )
      expect(closed.toSorted()).toEqual(['tapedeck.db', 'tapedeck.db (read-only)', 'tapedeck.db.lock'])
    } finally {
      close.mockRestore()
      now.mockRestore()
    }
    rmSync(taken, { recursive: true })
    expect((await reopen(folder.file)).notices[0]?.message).toMatch(/^The store’s latest commits are missing: row 4/)
  })

  it('reports nothing at an ordinary start, after a kill, or after a session was erased', async () => {
    const { killed, engine } = makeKilled()
    expect((await reopen(killed)).notices).toEqual([])
    expect((await reopen(killed)).notices).toEqual([])
    const writer = await openStoreWriter({ file: killed })
    const reader = openLocalReader(killed)
    await writer.library.erase((await reader.sessions()).map((row) => row.session))
    await reader.close()
    await writer.close()
    expect((await reopen(killed)).notices).toEqual([])
    expect(await problemsOf(killed)).toEqual([])
    engine.close()
  })

  it.each([0, 5])(
    'reports nothing if an earlier version erased the last session and recorded another of %i messages',
    async (messages) => {
      const record = (engine: StoreEngine, startedMs: number, count: number): string => {
        const id = newSessionId(startedMs)
        engine.begin(id, DEMO, unixMs(startedMs))
        commit(engine, new Writer(), count)
        engine.end(unixMs(startedMs + 1_000), [])
        engine.drain()
        return id
      }
      const before = new StoreEngine(folder.file)
      record(before, T0, 10)
      const last = record(before, T0 + 2_000, 20)
      before.close()
      const head = readFileSync(headFile(folder.file))
      const erasing = new StoreEngine(folder.file)
      erasing.library.erase([sessionId(last)])
      erasing.drain()
      erasing.close()
      const recording = new StoreEngine(folder.file)
      record(recording, T0 + 4_000, messages)
      recording.close()
      // An earlier version leaves the head as it was.
      writeFileSync(headFile(folder.file), head)
      expect(await problemsOf(folder.file)).toEqual([])
      expect((await reopen(folder.file)).notices).toEqual([])
      expect((await reopen(folder.file)).notices).toEqual([])
      expect(await problemsOf(folder.file)).toEqual([])
    },
  )

  it("empties a corrupt log later if a reader prevents it, and doesn't report its bad end as another loss", () => {
    const { killed, engine } = makeKilled()
    engine.close()
    flipFrame(killed, framesOf(killed) >> 1)
    const other = new Database(killed, { readonly: true })
    other.exec('BEGIN')
    other.prepare('SELECT count(*) FROM recording').get()
    let now = 0
    const recovered = new StoreEngine(killed, () => now)
    expect(recovered.notices).toHaveLength(1)
    expect(statSync(`${killed}-wal`).size).toBeGreaterThan(0)
    other.close()
    now = 1_000
    recovered.drain()
    expect(statSync(`${killed}-wal`).size).toBe(0)
    recovered.close()
  })
})
