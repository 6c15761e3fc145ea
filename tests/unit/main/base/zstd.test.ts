import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../src/main/core/store/types/session-id.ts'
import { hasZstd, zstdProblem } from '../../../../src/main/base/zstd.ts'
import { unixMs } from '../../../../src/shared/base/units.ts'
import { DEMO, readAll, T0, Writer } from '../core/store/harness.ts'
import { makeStoreFolder } from '../../../kit/folder.ts'
import { tradeText } from '../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const MAIN = fileURLToPath(new URL('../../../../src/main', import.meta.url))

describe('a Node without zstd', () => {
  it('is reported with the next step; one that has zstd is not', () => {
    expect(hasZstd).toBe(true)
    expect(zstdProblem()).toBeNull()
    expect(zstdProblem(false)).toMatch(/has no zstd. Messages are recorded, .* Update Tapedeck, or run it on Node 24/)
  })

  it('records into the journal, ends without waiting, and what it recorded is sealed by one that has it', async () => {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now, false)
    const key = newSessionId(T0)
    engine.begin(key, DEMO, unixMs(T0))
    const texts = Array.from({ length: 50 }, (_, i) => tradeText('BTC-USD', i, 1, T0 + i))
    engine.commit([new Writer().batch(texts.map((data) => ({ conn: 1, data })))])
    now += SEAL_AFTER_MS
    engine.drain()
    engine.end(unixMs(T0 + 60_000), [])
    expect(engine.isFinishing(key)).toBe(false)
    engine.drain()
    const reader = openLocalReader(folder.file)
    expect(reader.queries.db.prepare('SELECT count(*) FROM block').pluck().get()).toBe(0)
    expect((await readAll(reader, 'crypto/XT', key)).map((row) => row.raw)).toEqual(texts)
    await reader.close()
    engine.close()
    const next = new StoreEngine(folder.file)
    next.recoverSessions(unixMs(T0 + 120_000))
    next.drain()
    const later = openLocalReader(folder.file)
    expect(later.queries.db.prepare('SELECT count(*) FROM block').pluck().get()).toBe(1)
    expect((await readAll(later, 'crypto/XT', key)).map((row) => row.raw)).toEqual(texts)
    expect((await later.verify(null)).problems).toEqual([])
    await later.close()
    next.close()
  })

  it('records beside a session that was sealed in part and left open, and leaves its end to one that has it', async () => {
    const able = new StoreEngine(folder.file, () => Infinity)
    const first = newSessionId(T0)
    able.begin(first, DEMO, unixMs(T0))
    const batches = new Writer()
    able.commit([batches.batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0), recvMs: T0 + 10 }])])
    able.drain()
    able.close()
    const unable = new StoreEngine(folder.file, () => 0, false)
    expect(unable.unclosed).toEqual([])
    const second = newSessionId(T0 + 5_000)
    unable.begin(second, DEMO, unixMs(T0 + 5_000))
    unable.commit([new Writer().batch([{ conn: 1, data: tradeText('BTC-USD', 2, 1, T0 + 5_000) }])])
    unable.close()
    const next = new StoreEngine(folder.file)
    expect(next.unclosed).toEqual([first, second])
    next.recoverSessions(unixMs(T0 + 9_000))
    next.drain()
    const reader = openLocalReader(folder.file)
    expect((await reader.sessions()).map(({ session, messages }) => [session, messages])).toEqual([
      [first, 1],
      [second, 1],
    ])
    expect((await reader.gaps({ session: first })).map(({ cause, toMs }) => [cause, toMs])).toEqual([
      ['crash', T0 + 5_000],
    ])
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    next.close()
  })

  it('loads every module: none but zstd.ts names what such a Node lacks', () => {
    const naming = readdirSync(MAIN, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && name !== 'zstd.ts')
      .filter((name) => /import \{[^}]*zstd[^}]*\} from 'node:zlib'/.test(readFileSync(join(MAIN, name), 'utf8')))
    expect(naming).toEqual([])
  })

  it('really loads the module that records', () => {
    const hooks = join(folder.path, 'hooks.mjs')
    mkdirSync(folder.path, { recursive: true })
    writeFileSync(
      hooks,
      `import { registerHooks } from 'node:module'
registerHooks({
  resolve: (name, context, next) => name === 'node:zlib' && !context.parentURL?.includes('better-sqlite3') ? { url: 'old:zlib', shortCircuit: true } : next(name, context),
  load: (url, context, next) => url === 'old:zlib' ? { format: 'module', shortCircuit: true, source: "export const { crc32, constants, gzipSync, gunzipSync } = process.getBuiltinModule('node:zlib')" } : next(url, context),
})`,
    )
    const run = (code: string): string =>
      execFileSync(process.execPath, ['--import', hooks, '--input-type=module', '-e', code], { encoding: 'utf8' })
    const zstd = JSON.stringify(new URL('../../../../src/main/base/zstd.ts', import.meta.url).href)
    expect(run(`console.log((await import(${zstd})).hasZstd)`).trim()).toBe('false')
    const engine = JSON.stringify(new URL('../../../../src/main/core/store/threads/engine.ts', import.meta.url).href)
    const made = `const { StoreEngine } = await import(${engine}); const e = new StoreEngine(${JSON.stringify(folder.file)}); e.close(); console.log('recorded')`
    expect(run(made).trim()).toBe('recorded')
  })
})
