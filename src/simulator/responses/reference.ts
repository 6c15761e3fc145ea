/** The real company data of the demo service: Apple's statements and the daily bars of three stocks. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/** An income statement as filed; flows in US dollars. */
export interface Statement {
  readonly end: string
  readonly revenue: number
  readonly gross: number
  readonly operating: number
  readonly net: number
  readonly basic: number
  readonly diluted: number
  readonly sharesBasic: number
  readonly sharesDiluted: number
}

/** A vendor's record: named numbers and texts. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/** Columns of daily bars; prices in ten-thousandths of a dollar, dates as YYYYMMDD. */
interface DailyColumns {
  readonly date: readonly string[]
  readonly open: readonly number[]
  readonly high: readonly number[]
  readonly low: readonly number[]
  readonly close: readonly number[]
  readonly volume: readonly number[]
}

export interface Reference {
  /** Newest first. */
  readonly quarters: readonly Statement[]
  readonly years: readonly Statement[]
  readonly balance: readonly Row[]
  readonly balanceQuarters: readonly Row[]
  readonly cash: readonly Row[]
  readonly cashQuarters: readonly Row[]
  readonly ratios: readonly Row[]
  readonly ratiosTtm: readonly Row[]
  readonly metrics: readonly Row[]
  readonly growth: readonly Row[]
  readonly enterpriseValues: readonly Row[]
  readonly earnings: readonly Row[]
  readonly profile: Row
  readonly daily: Readonly<Record<string, DailyColumns>>
}

/** Reads the data of a folder. Throws if it is missing or corrupt. */
export function readReference(dataDir: URL): Reference {
  const text = brotliDecompressSync(readFileSync(new URL('reference.json.br', dataDir))).toString('utf8')
  // Written by our own build.
  return JSON.parse(text) as Reference
}
