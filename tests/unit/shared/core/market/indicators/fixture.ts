/** The rows of a file of published values in `tests/fixtures/indicators`, by the names of its columns. */
import { readFileSync } from 'node:fs'

export const readFixture = (name: string): Record<string, string>[] => {
  const text = readFileSync(new URL(`../../../../../fixtures/indicators/${name}.csv`, import.meta.url), 'utf8')
  const [header, ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','))
  return rows.map((row) => Object.fromEntries(header.map((key, i) => [key, row[i] ?? ''])))
}
