/** The page about the local API and the clients' first pages: their commands and programs, with a running `serve --api`. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { ENDPOINT_LIST } from '../../../src/main/features/api/endpoints.ts'
import { makeFolder } from '../../kit/folder.ts'
import { findPython } from '../../kit/python.ts'
import { blocksOf } from './blocks.ts'
import { startLine, type Running } from './command-lines.ts'

const PAGE = 'docs/guide/api.md'
const PROGRAMS = [PAGE, 'clients/python/README.md', 'clients/typescript/README.md'].flatMap(blocksOf)
const CLIENTS = new URL('../../../clients/', import.meta.url)
const python = findPython('import pandas')
const hasJq = ['jq', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0)

/** A user's home folder, with Tapedeck's folder where Linux has it. */
const user = makeFolder('user')
const home = join(user, '.local/share/tapedeck')
const typesOf = (texts: readonly string[]) => texts.map((text) => (JSON.parse(text) as { type: string }).type)
const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 20 })
let serving: Running
let baseUrl: string
let authorization: string
let live: WebSocket
const frames: string[] = []

beforeAll(async () => {
  mkdirSync(home, { recursive: true })
  const page = makeFolder('page')
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>Tapedeck</title>')
  serving = startLine('serve --demo --api --api-port 0 --no-sample', { folder: home, page })
  await waitFor(() => expect(serving.err()).toContain('The API is at '))
  const { base_url: url, token } = JSON.parse(readFileSync(join(home, 'api.json'), 'utf8')) as {
    base_url: string
    token: string
  } // as the page says
  baseUrl = url
  authorization = `Bearer ${token}`
  live = new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/stream`, { headers: { authorization } })
  live.on('message', (data: Buffer) => frames.push(data.toString()))
  await new Promise((resolve, reject) => live.once('open', resolve).once('error', reject))
  // The frames of the page, as they are there: from now on the symbol is recorded, and the others have something to read.
  const block = PROGRAMS.find(({ language }) => language === 'json')
  for (const frame of block?.code.trimEnd().split('\n') ?? []) live.send(frame)
  await waitFor(() => expect(typesOf(frames)).toContain('tick'))
}, 60_000)
afterAll(async () => {
  live.close()
  expect(await serving.end()).toMatchObject({ code: 0 })
})

const barsOfToday = async (): Promise<string> =>
  (await fetch(`${baseUrl}/v1/bars?feed=crypto/XT&interval=1m&from=today`, { headers: { authorization } })).text()

/**
 * Runs `work` once there is something of today to read, and again where the UTC date changed meanwhile: "today" was
 * another day then.
 */
async function onOneDay<T>(work: () => Promise<T>): Promise<T> {
  const today = () => new Date().toISOString().slice(0, 10)
  for (;;) {
    const before = today()
    await waitFor(async () => expect(await barsOfToday()).toContain('"symbol":"BTC-USD"'))
    const found = await work()
    if (today() === before) return found
  }
}

/** Runs a program until it ends or has printed something like `enough`; returns what it printed, and how it failed. */
async function print(program: string, args: readonly string[], enough?: RegExp): Promise<string> {
  const child = spawn(program, args, {
    env: {
      ...process.env,
      HOME: user,
      TAPEDECK_HOME: home,
      PYTHONPATH: fileURLToPath(new URL('python', CLIENTS)),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (piece: Buffer) => {
    out += piece.toString()
    if (enough?.test(out)) child.kill()
  })
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect([code, err]).toEqual([enough === undefined ? 0 : null, ''])
  return out
}

it('are all of the programs on these pages', () => {
  expect(PROGRAMS.map(({ page, language }) => `${page} ${language}`)).toEqual([
    `${PAGE} sh`,
    `${PAGE} python`,
    `${PAGE} ts`,
    `${PAGE} json`,
    'clients/python/README.md python',
    'clients/typescript/README.md ts',
  ])
})

it('subscribes and grants credit with the frames of the page', () => {
  const [subscribed, ...others] = frames.map((text) => JSON.parse(text) as { type: string })
  expect(subscribed).toEqual({ type: 'subscribed', feed: 'crypto/XT', symbols: ['BTC-USD'] })
  // A gap may come first: that of connecting.
  expect(others.find(({ type }) => type === 'tick')).toMatchObject({
    feed: 'crypto/XT',
    symbol: 'BTC-USD',
    price: expect.any(Number) as unknown,
  })
})

it('lists every endpoint once', () => {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| (`[A-Z]+\b.*?) \|/gm)].map(([, cell = '']) => cell)
  const listed = rows.flatMap((cell) => {
    const spans = [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replace(/\?.*/, ''))
    const methods = spans.flatMap((span) => /^[A-Z]+/.exec(span)?.[0] ?? [])
    const paths = spans.flatMap((span) => /\/v1.*/.exec(span)?.[0] ?? [])
    return methods.flatMap((method) => paths.map((path) => `${method} ${path}`))
  })
  const served = ENDPOINT_LIST.map(([, { method, path }]) => `${method} ${path}`)
  expect(listed.toSorted()).toEqual(served.filter((one) => one !== 'GET /v1/openapi.json').toSorted())
})

describe.skipIf(!hasJq)('the commands [needs jq]', () => {
  it('print sessions and bars', async () => {
    const code = PROGRAMS.find(({ language }) => language === 'sh')?.code ?? ''
    const script = `set -euo pipefail\n${code.replaceAll('http://127.0.0.1:8018', baseUrl).replaceAll('curl ', 'curl -sS --fail ')}`
    expect(await onOneDay(() => print('bash', ['-c', script]))).toMatch(
      /^\{"schema":"tapedeck\/sessions\/1","sessions":\[\{.*"source":"demo".*\}\]\}[^]*\{"feed":"crypto\/XT","symbol":"BTC-USD","interval":"1m",/,
    )
  })
})

/** A stored tick of the clients, before the live stream begins. */
const STORED = /^\{[^}]*feed: 'crypto\/XT'[^}]*price: [^}]*\}\n|^\S+Z \d+/m
describe.each([
  ['TypeScript', 'ts'],
  ['Python', 'python'],
])('%s', (name, language) => {
  const programs = PROGRAMS.filter((block) => block.language === language)
  const needs = name === 'Python' ? ' [needs pandas]' : ''
  it.skipIf(needs !== '' && python === undefined).each(programs)(`of $page runs as written${needs}`, async (block) => {
    const file = join(makeFolder('program'), language === 'ts' ? 'program.mts' : 'program.py')
    const client = new URL('typescript/src/index.ts', CLIENTS).href
    writeFileSync(file, block.code.replace("'@tapedeck/client'", `'${client}'`))
    const [program = '', ...args] = language === 'ts' ? [process.execPath, file] : [python ?? '', '-u', file]
    const isStream = block.code.includes('live(')
    const printed = await onOneDay(() => print(program, args, isStream ? /subscribed[^]*'tick'/ : undefined))
    const [before = ''] = printed.split('subscribed')
    if (/\bticks\(/.test(block.code)) expect(before).toMatch(STORED)
  })
})
