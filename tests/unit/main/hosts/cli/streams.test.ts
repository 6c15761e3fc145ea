/** Pipes: exports to standard output, imports from standard input, and what happens when the other side goes away. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { recorded, type RecordedStore } from '../../features/export/recorded.ts'

const CLI = fileURLToPath(new URL('../../../../../src/main/cli.ts', import.meta.url))
const ROWS = 60_000

let store: RecordedStore
beforeAll(async () => {
  const items = Array.from({ length: ROWS }, (_, i): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', `${100 + i}.50`, 1, T0 + i),
    recvMs: T0 + i,
  }))
  items.push({
    entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0) },
    wallMs: T0 + ROWS,
  })
  store = await recorded([items])
})
afterAll(() => store.close())

/** Runs a line of bash with `tapedeck` as the command, in the store's folder. */
async function bash(line: string): Promise<{ code: number | null; out: string; err: string }> {
  const script = `set -o pipefail; tapedeck() { "${process.execPath}" "${CLI}" "$@"; }; ${line}`
  const child = spawn('bash', ['-c', script], {
    cwd: store.path,
    env: { ...process.env, TAPEDECK_HOME: join(store.path, 'home') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (data: Buffer) => (out += data.toString()))
  child.stderr.on('data', (data: Buffer) => (err += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}
const EXPORT = `tapedeck export --store "$PWD/tapedeck.db" -f crypto/XT --session latest`
const read = (name: string) => readFileSync(join(store.path, name), 'utf8')

describe.skipIf(process.platform === 'win32')('a pipe', { timeout: 120_000 }, () => {
  it('carries an export into an import and back, byte for byte', async () => {
    const { code, out, err } = await bash(
      `${EXPORT} -o plain.csv -q && ${EXPORT} -o - | tapedeck import - --store new.db && ` +
        `tapedeck export --store new.db -f crypto/XT -o - -q > again.csv`,
    )
    expect([code, out]).toEqual([0, expect.stringContaining(`${ROWS} messages`)])
    // Only the streamed export has no manifest to list its gaps.
    expect(err).toBe(`${ROWS} rows of crypto/XT from demo, 1 gap (tapedeck sessions --gaps lists them)\n`)
    expect(read('again.csv')).toBe(read('plain.csv'))
    expect(readdirSync(join(store.path, 'home')).filter((name) => name.startsWith('import-'))).toEqual([])
    expect(existsSync(join(store.path, '-'))).toBe(false)
  })

  it('carries Parquet, which DuckDB and others read to the end', async () => {
    const { code } = await bash(`${EXPORT} --format parquet -o - > s.parquet && ${EXPORT} -o f.parquet`)
    expect([code, read('s.parquet') === read('f.parquet')]).toEqual([0, true])
  })

  it('whose reader has enough ends the command quietly', async () => {
    const { code, out, err } = await bash(`${EXPORT} -o - | head -2`)
    expect([code, out.split('\n').length, err]).toEqual([0, 3, ''])
  })

  it.each([
    ['SIGTERM', 1],
    ['SIGINT', 130],
  ] as const)('whose reader stands still doesn’t keep a command from ending by %s', async (signal, expected) => {
    const args = [CLI, 'export', '--store', store.file, '-f', 'crypto/XT', '--out', '-']
    const env = { ...process.env, TAPEDECK_HOME: join(store.path, 'home') }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    await once(child.stdout, 'readable') // and nothing is read
    child.kill(signal)
    expect((await exited)[0]).toBe(expected)
    child.stdout.destroy()
  })

  it.skipIf(!existsSync('/dev/full'))('that leads to a full disk is a failure [needs linux]', async () => {
    const { code, err } = await bash(`${EXPORT} -o - > /dev/full`)
    expect([code, err]).toEqual([1, expect.stringContaining('couldn’t write to standard output: ENOSPC')])
  })

  /** Records with standard error redirected; `code=…` in `redirected` keeps the exit code. */
  async function recordsWith(redirected: string, name: string): Promise<void> {
    const home = `--home "$PWD/${name}-home"`
    const record = `tapedeck record --demo -f crypto/XT:BTC-USD --duration 3s --json ${home}`
    const { code, out } = await bash(
      `set +o pipefail; ${record} ${redirected}; tapedeck sessions --json ${home}; exit $code`,
    )
    const session = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as { clean: boolean; messages: number }
    expect([code, session.clean]).toEqual([0, true])
    const report = JSON.parse(read(`${name}.json`)) as { feeds: readonly { stored: number }[] }
    expect(report.feeds.map(({ stored }) => stored)).toEqual([session.messages])
  }

  it('for the log, whose reader ends, doesn’t end the recording', () =>
    recordsWith('2>&1 > ended.json | head -1; code=${PIPESTATUS[0]}', 'ended'))

  it.skipIf(!existsSync('/dev/full'))('for the log that leads to a full disk doesn’t, either [needs linux]', () =>
    recordsWith('2>/dev/full > full.json; code=$?', 'full'),
  )

  it.each([
    ['--split day', '--split writes several files'],
    ['--json', '--json can’t be combined with --out -'],
    ['--format csv2', '--format must be one of'],
  ])('is refused with %s', async (args, message) => {
    const { code, out, err } = await bash(`${EXPORT} -o - ${args}`)
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)])
  })

  it('with nothing in it is an import that fails', async () => {
    const { code, err } = await bash(`printf '' | tapedeck import - --feed crypto/XT --store empty.db`)
    expect(code).not.toBe(0)
    expect(err).toMatch(/^tapedeck: .+\n$/)
  })
})

it('every JSON object of a command names its shape, and only once', { timeout: 60_000 }, async () => {
  const { code, out } = await bash(
    'for c in sessions "sessions --gaps" symbols feeds stats verify; do tapedeck $c --json --store "$PWD/tapedeck.db"; done',
  )
  const schemas = out
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { schema: string }).schema)
  expect([code, [...new Set(schemas)]]).toEqual([
    0,
    ['session', 'gap', 'symbol', 'feed', 'stats', 'verify'].map((name) => `tapedeck/${name}/1`),
  ])
  // It is the first key of its object, also of the gaps within a session.
  expect(out.match(/"schema":/g)).toEqual(out.match(/(?<=\{)"schema":/g))
})
