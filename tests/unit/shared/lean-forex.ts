/** The published ticks and bars of tests/fixtures/lean-forex. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

export type LeanFile = 'tick-eurusd' | 'tick-nzdusd' | 'second-eurusd' | 'minute-eurusd' | 'minute-nzdusd'

/** 2014-05-05T00:00:00Z */
export const LEAN_DAY = Date.UTC(2014, 4, 5)

/** The cells of a file as published. */
export function leanRows(file: LeanFile): readonly (readonly string[])[] {
  const packed = readFileSync(new URL(`../../fixtures/lean-forex/${file}.csv.br`, import.meta.url))
  return brotliDecompressSync(packed)
    .toString('latin1')
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => line.split(','))
}
