/** A history whose owner changed any value of any row, with checksums that match: it is read as recorded, or refused. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyOf } from '../../../../../../src/main/features/team/history/history.ts'
import { blockSum, sealPart } from '../../../../../../src/main/features/team/history/seal.ts'
import type { Database } from '../../../../../../src/main/features/team/history/database.ts'
import { rowChecksum } from '../../../../../../src/main/core/store/format/ledger.ts'
import type { SealedBlock } from '../../../../../../src/main/core/store/write/sealed-block.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { encode, flushesOf, SESSION, trades } from '../frame/flushes.ts'
import { ABOUT, all, endOf, newHistory, plain } from './kit.ts'

type Row = Record<string, unknown>
type Answers = Map<string, Row[]>

const NUMBERS = [0, -1, 1, 2 ** 31 - 1, 2 ** 40, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]

interface Lie {
  readonly answer: number
  readonly row: number
  readonly column: number
  readonly at: number
  readonly value: number
  readonly reseals: boolean
}

/** One value of one row, changed. */
function lie(answers: Answers, one: Lie): Answers {
  const told = structuredClone([...answers].map(([key, rows]) => [key, rows] as const))
  const filled = told.filter(([, rows]) => rows.length > 0)
  const [key, rows] = filled[one.answer % filled.length]
  const row = rows[one.row % rows.length]
  const columns = Object.keys(row).filter((name) => !one.reseals || name !== 'sum')
  const column = columns[one.column % columns.length]
  row[column] = changed(row[column], one)
  if (one.reseals) reseal(key, row)
  return new Map(told)
}

function changed(value: unknown, { at, value: by }: Lie): unknown {
  if (typeof value === 'number') return by % 2 === 0 ? NUMBERS[at % NUMBERS.length] : value + (at % 2 === 0 ? 1 : -1)
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return by % 2 === 0 ? '' : `${value}x`
  if (!(value instanceof Uint8Array)) return value
  const bytes = Uint8Array.from(value)
  if (by === 0) return bytes.subarray(0, at % (bytes.length + 1))
  if (by === 1) return Buffer.concat([bytes, bytes])
  if (bytes.length > 0) bytes[at % bytes.length] = by
  return bytes
}

/** The checksums that an owner of the database can make as well. */
function reseal(key: string, row: Row): void {
  const [, session, part] = (JSON.parse(key) as [string, [string, number, number]])[1]
  if ('instrument' in row) {
    const { min_seq: minSeq, max_seq: maxSeq, min_ms: minMs, max_ms: maxMs, ...rest } = row
    row.sum = blockSum(session, part, { ...rest, minSeq, maxSeq, minMs, maxMs } as unknown as SealedBlock) // as stored
  } else if ('sum' in row) {
    const numbers = [session, part, row.min_seq, row.max_seq, row.count] as number[]
    row.sum = rowChecksum(numbers, row.data as Uint8Array)
  }
}

describe.skipIf(!hasPostgres)('a history that lies [needs postgresql]', () => {
  it('is read as recorded or refused, whatever one value is', { timeout: 120_000 }, async () => {
    const { archive, db } = await newHistory()
    const items = Array.from({ length: 12 }, (_, i) =>
      i % 3 === 0 ? [{ entry: { type: 'clock', shiftMs: 5 + i } as const }, ...trades(4)] : trades(3),
    )
    const flushes = flushesOf(items)
    await archive.putSession({ ...ABOUT, end: endOf(flushes) })
    await archive.store(
      SESSION,
      encode(flushes, { bundleBytes: 1 }).map(({ bytes }) => bytes),
    )
    // Two parts, and the rest in the tail.
    for (let i = 0; i < 2; i++) await sealPart(db, SESSION, { partBytes: 600 })
    const honest: Answers = new Map()
    const over = (answers: Answers, ask?: Database['rows']): Database => ({
      ...db,
      async rows<T extends object>(text: string, values?: Parameters<Database['rows']>[1]): Promise<T[]> {
        const key = JSON.stringify([text, values])
        const known = answers.get(key) ?? (await ask?.(text, values)) ?? []
        answers.set(key, known)
        return structuredClone(known) as T[]
      },
    })
    const whole = plain(flushes)
    expect(plain(await all(historyOf(over(honest, db.rows)).flushes(SESSION, 0)))).toEqual(whole)
    expect([...honest.values()].flat().some((row) => 'instrument' in row)).toBe(true)
    const nat = fc.nat(10_000)
    const lies = fc.record({ answer: nat, row: nat, column: nat, at: nat, value: fc.nat(255), reseals: fc.boolean() })
    let refused = 0
    await fc.assert(
      fc.asyncProperty(lies, async (one) => {
        const read = all(historyOf(over(lie(honest, one))).flushes(SESSION, 0))
        const outcome = await read.then(plain, (thrown: unknown) => thrown)
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(CodedError)
          refused++
        } else expect(outcome).toEqual(whole.slice(0, (outcome as unknown[]).length))
      }),
      { numRuns: 1_000 },
    )
    expect(refused).toBeGreaterThan(250)
  })
})
