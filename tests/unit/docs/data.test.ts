/** The page "Use your data elsewhere": every block runs, in the order of the page, and prints what the page says. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unixMs } from '../../../src/shared/base/units.ts'
import { quoteText, tradeText } from '../../kit/market.ts'
import { findPython } from '../../kit/python.ts'
import { blocksOf, type Block } from './blocks.ts'
import { T0, type Item } from '../main/core/store/harness.ts'
import { recorded, type RecordedStore } from '../main/features/export/recorded.ts'

const CLI = fileURLToPath(new URL('../../../src/main/cli.ts', import.meta.url))
const EXAMPLES = new URL('../../../examples/', import.meta.url)

/** A block and what it prints. */
type Shown = Block & { readonly output: string }
const all = blocksOf('docs/guide/data.md')
const blocks = all.filter((block): block is Shown => block.output !== undefined)

let store: RecordedStore
beforeAll(async () => {
  const trade = (ms: number, symbol: string, price: string, size: number): Item => ({
    conn: 1,
    data: tradeText(symbol, price, size, T0 + ms),
    recvMs: T0 + ms,
  })
  const quote = (ms: number, bid: string, ask: string): Item => ({
    conn: 2,
    data: quoteText('BTC-USD', bid, ask, T0 + ms),
    recvMs: T0 + ms,
  })
  store = await recorded(
    [
      [
        trade(0, 'BTC-USD', '100.5', 1),
        quote(500, '100', '102'),
        trade(1_000, 'BTC-USD', '101.5', 2),
        trade(2_000, 'ETH-USD', '10', 5),
        quote(2_500, '99', '100'),
        trade(3_000, 'BTC-USD', '99.5', 1),
        trade(4_000, 'ETH-USD', '11', 5),
        {
          entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0 + 61_000) },
          wallMs: T0 + 61_000,
        },
        { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 8 }, wallMs: T0 + 62_000 },
        quote(62_500, '103', '104'),
        trade(63_000, 'BTC-USD', '103.5', 1),
        trade(64_000, 'ETH-USD', '12.5', 2),
      ],
    ],
    { feeds: ['crypto/XT', 'crypto/XQ'] },
  )
})
afterAll(() => store.close())

function run(
  program: string,
  args: readonly string[],
  input?: string,
): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: store.path,
    env: { ...process.env, TAPEDECK_HOME: store.path },
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return { status, out: stdout, err: stderr }
}
const isThere = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** DuckDB's JSON: wide integers are text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function sql(text: string): Promise<string> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("SET TimeZone = 'UTC'")
  const result = await connection.runAndReadAll(text.replaceAll("'dataset/", `'${store.path}/dataset/`))
  const rows = result.getRowObjectsJson()
  const names = result.columnNames()
  return [names, ...rows.map((row) => names.map((name) => textOf(row[name])))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('')
}

/** What a block needs beyond Node: the name under which the summary of `npm test` lists it. */
const needOf = ({ language, code }: Shown): string | null =>
  language === 'r'
    ? code.includes('library(arrow)')
      ? 'r-arrow'
      : 'r'
    : language !== 'python'
      ? null
      : code.includes('polars')
        ? 'polars'
        : code.includes('parquet')
          ? 'pyarrow'
          : 'pandas'
const CHECKS: Readonly<Record<string, string>> = {
  polars: 'import polars',
  pyarrow: 'import pandas, pyarrow',
  pandas: 'import pandas',
}
/** The first Python that has what a block needs. */
const pythonWith = (need: string): string | undefined => findPython(CHECKS[need] ?? '')
function canRun(need: string): boolean {
  if (need === 'r') return isThere('Rscript', ['-e', '0'])
  if (need === 'r-arrow') return isThere('Rscript', ['-e', 'library(arrow); library(dplyr)'])
  return pythonWith(need) !== undefined
}

/** Runs a block. */
async function outputOf(block: Shown): Promise<string> {
  const { language, code } = block
  switch (language) {
    case 'sql':
      return sql(code)
    case 'sh': {
      const script = `set -euo pipefail; tapedeck() { "${process.execPath}" "${CLI}" "$@"; }\n${code}`
      const { status, out, err } = run('bash', ['-c', script])
      expect(status, err).toBe(0)
      return out.replace(/[1-9]\d* bytes/g, 'N bytes')
    }
    case 'python': {
      const { status, out, err } = run(pythonWith(needOf(block) ?? '') ?? '', ['-'], code)
      expect(status, err).toBe(0)
      return out
    }
    default: {
      const { status, out, err } = run('Rscript', ['-'], code)
      expect(status, err).toBe(0)
      return out
    }
  }
}

describe.skipIf(process.platform === 'win32')('the page about data', { timeout: 180_000 }, () => {
  it('prints what it says, block by block', async () => {
    // Every block prints something, and nothing is printed by none.
    expect(all.length).toBe(2 * blocks.length)
    for (const block of blocks.filter((one) => needOf(one) === null))
      expect(await outputOf(block), block.code).toBe(block.output)
  })

  // Without what they need, they were only read.
  describe.each([...new Set(blocks.map(needOf).filter((need) => need !== null))])('[needs %s]', (need) => {
    const mine = blocks.filter((block) => needOf(block) === need)
    it.skipIf(!canRun(need))(`prints what it says in ${mine[0]?.language ?? ''}`, async () => {
      for (const block of mine) expect(await outputOf(block), block.code).toBe(block.output)
    })
  })

  it.skipIf(!canRun('pandas'))('[needs pandas] leads to one whose Python reads files and their gaps', () => {
    const [table, gaps, ...others] = blocksOf('docs/guide/files.md').map(({ code }) => code)
    expect(others).toEqual([])
    const [of, bars] = ['--feed crypto/XT --session latest', '--what bars --interval 1m']
    run('bash', ['-c', `"${process.execPath}" "${CLI}" export ${of} --out btc.csv`])
    run('bash', ['-c', `"${process.execPath}" "${CLI}" export ${of} ${bars} --out bars.csv`])
    const python = pythonWith('pandas') ?? ''
    const printed = run(python, ['-'], `${table}\nprint(len(bars), len(whole))`)
    expect(printed).toMatchObject({
      status: 0,
      out: expect.stringMatching(/open +high +low +close[^]*\n4 2\n$/) as string,
    })
    expect(run(python, ['-'], gaps)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^crypto\/XT drop 2026-01-05T10:01:01/) as string,
    })
  })

  it('has a DuckDB script whose views work', async () => {
    const script = readFileSync(new URL('dataset.sql', EXAMPLES), 'utf8')
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run(script.replaceAll("'dataset/", `'${store.path}/dataset/`))
    const rows = (await connection.runAndReadAll('SELECT feed, symbol, messages FROM contents')).getRowsJson()
    expect(rows).toEqual([
      ['crypto/XQ', 'BTC-USD', '3'],
      ['crypto/XT', 'BTC-USD', '4'],
      ['crypto/XT', 'ETH-USD', '3'],
    ])
    expect((await connection.runAndReadAll('SELECT cause FROM gaps')).getRowsJson()).toEqual([['drop']])
  })

  it.skipIf(!canRun('pyarrow'))('[needs pyarrow] has a notebook that runs', () => {
    const notebook = JSON.parse(readFileSync(new URL('dataset.ipynb', EXAMPLES), 'utf8')) as {
      cells: { cell_type: string; source: string[] }[]
    }
    const code = notebook.cells.filter((one) => one.cell_type === 'code').map((one) => one.source.join(''))
    expect(code.length).toBeGreaterThan(2)
    const printed = run(
      pythonWith('pyarrow') ?? '',
      ['-'],
      `${code.join('\n')}\nprint(len(trades), len(bars), len(gaps))`,
    )
    expect(printed).toMatchObject({ status: 0, out: '7 4 1\n' })
  })
})
