/** Commands in the documents run as written, and none fetches another project's package. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CHART_INDICATOR_IDS } from '../../../src/shared/core/market/indicators/table.ts'
import { makeFolder } from '../../kit/folder.ts'
import { commandsOf, NOT_RUN } from './blocks.ts'

const CLI = fileURLToPath(new URL('../../../src/main/cli.ts', import.meta.url))
const below = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))
const texts = [
  'README.md',
  'CONTRIBUTING.md',
  'package.json',
  ...below('docs', /\.md$/),
  ...below('src', /\.(?:ts|svelte)$/),
]

describe('the documents', () => {
  it.each(['README.md', 'CHANGELOG.md'])('%s gives the number of indicators', (file) => {
    const counts = [...readFileSync(file, 'utf8').matchAll(/(\d+) indicators/g)].map(([, count]) => Number(count))
    expect(counts).toEqual([CHART_INDICATOR_IDS.length])
  })

  it('never let npx fetch `tapedeck`: on npm that name belongs to another project', () => {
    expect(texts.length).toBeGreaterThan(100)
    const wrong = texts.filter((file) =>
      /\b(?:npx|npm exec|npm x)\b[^\n`]*\btapedeck\b/.test(readFileSync(file, 'utf8')),
    )
    expect(wrong).toEqual([])
  })

  it('read CSV with pandas to the last bit: its default parser rounds about every fifth price', () => {
    const calls = texts.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/pd\.read_csv\(([^\n]*)/g)].map(([, call = '']) => `${file}: ${call}`),
    )
    expect(calls.length).toBeGreaterThan(1)
    expect(calls.filter((call) => !call.includes('float_precision="round_trip"'))).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('run in the order of the README', { timeout: 240_000 }, async () => {
    const [own = '', ...commands] = commandsOf('README.md').filter((line) => !(line in NOT_RUN))
    expect(own).toBe('tapedeck() { node scripts/tapedeck.mjs "$@"; }')
    expect(commands.length).toBeGreaterThan(7)
    const folder = makeFolder('readme')
    // From source, because there may be no build, and for 5 s instead of the README's half a minute.
    const script = [
      'set -euo pipefail',
      `tapedeck() { "${process.execPath}" "${CLI}" "$@"; }`,
      ...commands.map((line) => line.replace('--duration 30s', '--duration 5s')),
    ]
    const child = spawn('bash', ['-c', script.join('\n')], {
      cwd: folder,
      env: { ...process.env, TAPEDECK_HOME: join(folder, 'home'), TAPEDECK_PASSWORD: '', TAPEDECK_API_KEY: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (data: Buffer) => (out += data.toString()))
    child.stderr.on('data', (data: Buffer) => (err += data.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code, `${out}\n${err}`).toBe(0)
    expect(out).toContain('all as recorded')
    expect(out).toContain('income_statement')
  })
})
