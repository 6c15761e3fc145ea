/** The bounds table in `docs/security.md`: each constant has the value in its row, and each test exists. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** Factors from a value's unit to the unit of its constant. Times are in ms (ns where its name says so), sizes in bytes. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  characters: 1,
  bytes: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  MB: 1e6,
  GB: 1e9,
  ms: 1,
  s: 1_000,
  min: 60_000,
}

interface Row {
  readonly bound: string
  readonly value: string
  readonly constant: string
  readonly test: string
}

/** Rows of the table under the heading "Bounds". */
function readRows(document: string): readonly Row[] {
  const [, section = ''] = document.split(/^## Bounds$/m)
  const [body = ''] = section.split(/^## /m)
  return body
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [, bound = '', value = '', constant = '', test = ''] = line.split('|').map((cell) => cell.trim())
      return { bound, value, constant, test }
    })
}

/** A constant's value, from literals and arithmetic only; undefined if the file doesn't declare it that way. */
function readConstant(file: string, name: string): number | undefined {
  if (!existsSync(file)) return undefined
  const declared = new RegExp(`^(?:export )?const ${name}(?:: \\w+)? = ([\\d_.e*<+ -]+)(?: as \\w+)?;?$`, 'm')
  const [, expression] = declared.exec(readFileSync(file, 'utf8')) ?? []
  if (expression === undefined) return undefined
  const [left = '', shift] = expression.split('<<')
  const product = left.split('*').reduce((all, part) => all * Number(part.replaceAll('_', '')), 1)
  return shift === undefined ? product : product * 2 ** Number(shift)
}

/** What is wrong with a row. */
function problemsOf({ value, constant, test }: Row): readonly string[] {
  const problems: string[] = []
  const [, amount = '', unit = ''] = /^([\d,.]+) ?(\w*)/.exec(value) ?? []
  const factor = UNITS[unit] ?? (/^[a-z]+$/.test(unit) ? 1 : NaN)
  const [, name = '', file = ''] = /^`(\w+)` in `([\w/.-]+)`$/.exec(constant) ?? []
  const stated = Number(amount.replaceAll(',', '')) * factor * (name.endsWith('_NS') ? 1e6 : 1)
  const found = readConstant(file, name)
  if (found === undefined) problems.push(`no constant ${name} in ${file}`)
  else if (found !== stated) problems.push(`${name} is ${found}, not ${stated}`)
  const tests = [...test.matchAll(/`([\w/.-]+)` "([^"]+)"/g)]
  if (tests.length === 0) problems.push('names no test')
  for (const [, path = '', title = ''] of tests) {
    if (!existsSync(path) || !readFileSync(path, 'utf8').includes(title)) problems.push(`no "${title}" in ${path}`)
  }
  return problems
}

describe('the bounds table', () => {
  const rows = readRows(readFileSync('docs/security.md', 'utf8'))
  it('has rows', () => expect(rows.length).toBeGreaterThan(3))
  it.each(rows)('matches the code: $bound', (row) => expect(problemsOf(row)).toEqual([]))

  it('notices a wrong value, a missing constant and a missing test', () => {
    const row = {
      bound: 'Depth of a call',
      value: '12',
      constant: '`MAX_DEPTH` in `src/main/rpc/dispatch.ts`',
      test: '`tests/contract/contract.test.ts` "arguments nested without end are refused"',
    }
    expect(problemsOf(row)).toEqual([])
    expect(problemsOf({ ...row, value: '13' })).toEqual(['MAX_DEPTH is 12, not 13'])
    expect(problemsOf({ ...row, constant: '`MAX_DEPHT` in `src/main/rpc/dispatch.ts`' })).toHaveLength(1)
    expect(problemsOf({ ...row, test: '`tests/contract/contract.test.ts` "no such title"' })).toHaveLength(1)
    expect(problemsOf({ ...row, test: '' })).toEqual(['names no test'])
  })
})
