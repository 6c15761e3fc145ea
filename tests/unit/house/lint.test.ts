/** The rules that oxlint applies without types: each has a line of code here that breaks it. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../../kit/folder.ts'

interface Probe {
  /** Where the code stands. */
  readonly file: string
  readonly code: string
  /** Names of rules; absent: the code breaks none there. */
  readonly breaks?: string
}

const at = (file: string, probes: readonly (readonly [code: string, breaks?: string])[]): readonly Probe[] =>
  probes.map(([code, breaks], i) => ({ file: file.replace('*', String(i)), code, ...(breaks ? { breaks } : {}) }))

const HABITS = at('src/main/base/habits-*.ts', [
  ['// @ts-ignore\nexport const a = 1', 'ban-ts-comment'],
  ['export const a = new Array(0, 1, 2)', 'no-array-constructor'],
  ['export const A = { a: 1 }\nexport enum B { A = 1, C = 1 }', 'no-duplicate-enum-values'],
  ['export type A = {}', 'no-empty-object-type'],
  ['export const a = (b: any) => b', 'no-explicit-any'],
  ['export const a = (b: { c: number } | null) => b!!.c', 'no-extra-non-null-assertion'],
  ['export interface A { new (): A }', 'no-misused-new'],
  ['export namespace A { export const b = 1 }', 'no-namespace'],
  ['export const a = (b?: { c: number }) => b?.c!', 'no-non-null-asserted-optional-chain'],
  ["export const a = require('./b')", 'no-require-imports'],
  ['export function a(this: unknown) {\n  const self = this\n  return self\n}', 'no-this-alias'],
  ['export type A<B extends unknown> = B[]', 'no-unnecessary-type-constraint'],
  ['export class A { a = 1 }\nexport interface A { b: number }', 'no-unsafe-declaration-merging'],
  ['export type A = Function', 'no-unsafe-function-type'],
  ['export const a = 1\na', 'no-unused-expressions'],
  ['export const a = () => 1\na() && a()', 'no-unused-expressions'],
  ['const a = 1', 'no-unused-vars'],
  ['export const a = (b: number) => 1', 'no-unused-vars'],
  ['export function a() {\n  try {\n    return 1\n  } catch (error) {\n    return 2\n  }\n}', 'no-unused-vars'],
  ["import type { A } from './a.ts'", 'no-unused-vars'],
  ['export const a = (_b: number) => 1'],
  ['export type A = String', 'no-wrapper-object-types'],
  ["export const a = 'b' as 'b'", 'prefer-as-const'],
  ['export declare module A {}', 'no-namespace prefer-namespace-keyword'],
  ["/// <reference path='a.d.ts' />\nimport './a.ts'", 'triple-slash-reference'],
  ["import { A } from './a.ts'\nexport const a = (b: A) => b", 'consistent-type-imports'],
  ["export type A = import('./a.ts').A"],
  ['export const a = (b: number) => b == 1', 'eqeqeq'],
  ["export const a = () => console.log('b')", 'no-console'],
  ['export var a = 1', 'no-var'],
  ['export function a() {\n  let b = 1\n  return b\n}', 'prefer-const'],
  ['export function a() {\n  return arguments[0]\n}', 'prefer-rest-params'],
  ['export const a = (b: number[]) => Math.max.apply(Math, b)', 'prefer-spread'],
])

const SCRIPTS = at('scripts/habits-*.mjs', [
  ['const a = 1', 'no-unused-vars'],
  ['export const a = 1\na', 'no-unused-expressions'],
  ["console.log('a')"],
])

const CONSOLES = ['src/main/cli.ts', 'src/main/hosts/cli/record.ts', 'src/main/features/sample/cli.ts'].flatMap(
  (file) => at(file, [["console.log('a')"]]),
)

const electron = "import electron from 'electron'\nexport const a = electron"
const node = "import { join } from 'node:path'\nexport const a = join"
const svelte = "import { tick } from 'svelte'\nexport const a = tick"
const inner = "import { a } from 'svelte/internal/client'\nexport const b = a"
const deep = "import { a } from 'electron/main'\nexport const b = a"
const IMPORTS = [
  ...at('src/shared/core/imports-*.ts', [
    [electron, 'no-restricted-imports'],
    [deep, 'no-restricted-imports'],
    [node, 'no-restricted-imports'],
    [svelte, 'no-restricted-imports'],
    ["export { join } from 'node:path'", 'no-restricted-imports'],
    ["import type { Socket } from 'ws'\nexport type A = Socket", 'no-restricted-imports'],
  ]),
  ...at('src/service/imports-*.ts', [[node, 'no-restricted-imports']]),
  ...at('src/renderer/core/imports-*.ts', [
    [node, 'no-restricted-imports'],
    [electron, 'no-restricted-imports'],
    [inner, 'no-restricted-imports'],
    [svelte],
  ]),
  ...at('src/renderer/core/runes-*.svelte.ts', [[node, 'no-restricted-imports']]),
  ...at('src/main/core/imports-*.ts', [[electron, 'no-restricted-imports'], [deep, 'no-restricted-imports'], [node]]),
  ...at('src/server/imports-*.ts', [[electron, 'no-restricted-imports']]),
  ...at('src/simulator/imports-*.ts', [[electron, 'no-restricted-imports']]),
  ...at('src/main/hosts/electron/imports-*.ts', [[electron]]),
  ...at('src/main/index.ts', [[electron]]),
]

const WALLS = [
  ...at('src/main/base/walls-*.ts', [
    ["import { a } from '../core/a.ts'\nexport const b = a", 'walls'],
    ["export { a } from '../core/a.ts'", 'walls'],
    ["export * from '../core/a.ts'", 'walls'],
    ["export const a = () => import('../core/a.ts')", 'walls'],
    ["import { a } from '../../shared/base/a.ts'\nexport const b = a"],
  ]),
  ...at('src/main/core/walls-*.ts', [
    ["import { a } from '../../simulator/a.ts'\nexport const b = a", 'walls'],
    ["import type { A } from '../../simulator/a.ts'\nexport type B = A"],
    ["import { mkdirSync } from 'node:fs'\nmkdirSync('a', { recursive: true })", 'make-folder'],
    ["import { mkdir } from 'node:fs/promises'\nawait mkdir('a', { mode: 0o700, recursive: true })", 'make-folder'],
    ["import { rmSync } from 'node:fs'\nrmSync('a', { recursive: true })"],
  ]),
  ...at('src/main/features/alerts/walls-*.ts', [["import { a } from '../journal/a.ts'\nexport const b = a", 'walls']]),
]

const PROBES = [...HABITS, ...SCRIPTS, ...CONSOLES, ...IMPORTS, ...WALLS]

interface Found {
  readonly diagnostics: readonly { readonly filename: string; readonly code: string }[]
}

it('finds every breach of a rule that needs no types, and nothing else', () => {
  const folder = makeFolder('lint')
  const settings = JSON.parse(readFileSync('.oxlintrc.json', 'utf8')) as { options: { typeAware: boolean } }
  settings.options.typeAware = false
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(settings))
  cpSync('scripts/house', join(folder, 'scripts/house'), { recursive: true })
  for (const { file, code } of PROBES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), `${code}\n`)
  }
  const program = join(process.cwd(), 'node_modules/oxlint/bin/oxlint')
  const { stdout, stderr } = spawnSync(process.execPath, [program, '--format=json'], { cwd: folder, encoding: 'utf8' })
  expect(stderr).toBe('')
  const { diagnostics } = JSON.parse(stdout) as Found
  const found = diagnostics.map(({ filename, code }) => `${filename}: ${/\(([\w-]+)\)$/.exec(code)?.[1]}`)
  const expected = PROBES.flatMap(({ file, breaks }) => (breaks?.split(' ') ?? []).map((rule) => `${file}: ${rule}`))
  expect(new Set(found)).toEqual(new Set(expected))
})
