/** What the pages about servers and replays show of the log, the health, and the addresses of a replay server. */
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeFolder } from '../../kit/folder.ts'
import { tradeText } from '../../kit/market.ts'
import { freePorts } from '../../kit/nats-server.ts'
import { T0, type Item } from '../main/core/store/harness.ts'
import { recorded } from '../main/features/export/recorded.ts'
import { blocksOf } from './blocks.ts'
import { runLine, startLine, type Running } from './command-lines.ts'

const PAGE = 'docs/guide/replay.md'
const home = makeFolder('servers')
let server: Running
let at: { readonly base_url: string; readonly password: string; readonly api_key: string }
const waitFor = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 20 })

beforeAll(async () => {
  const trades = Array.from({ length: 600 }, (_, i): Item => {
    const ms = T0 + i * 1_000
    return { conn: 1, recvMs: ms, data: tradeText('BTC-USD', String(100 + (i % 7)), 1, ms) }
  })
  const store = await recorded([trades], { feeds: ['crypto/XT'] })
  copyFileSync(store.file, join(home, 'tapedeck.db'))
  await store.close()
  server = startLine('replay --serve 0 --session latest --json', { folder: home })
  await waitFor(() => expect(server.out()).toMatch(/\n$/))
  at = JSON.parse(server.out()) as typeof at // as the command prints it
}, 60_000)
afterAll(async () => expect(await server.end()).toMatchObject({ code: 0 }))

const call = (path: string, body?: unknown): Promise<Response> =>
  fetch(`${at.base_url}${path}`, {
    headers: { authorization: `Bearer ${at.api_key}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })

it('replays at the addresses of the page, with the shapes that it shows', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const rows = [...page.matchAll(/^\| `(GET|POST) (\S+)` \| (.*) \|$/gm)].map(([, method, path, text]) => [
    method,
    path,
    text,
  ])
  expect(rows.map(([method, path]) => `${method} ${path}`)).toEqual([
    'GET /replay',
    'GET /replay/clock',
    'POST /replay/clock',
  ])
  const [lines = '', line = ''] = (await (await call('/replay?feed=crypto/XT&symbol=BTC-USD&speed=max')).text()).split(
    '\n',
  )
  expect(line).not.toBe('')
  const keys = (text: string): readonly string[] => [...text.matchAll(/"(\w+)"/g)].map(([, key = '']) => key)
  const shownLine = /A line is\s`(\{.*?\})`/.exec(page)?.[1] ?? ''
  expect(Object.keys(JSON.parse(lines) as object)).toEqual(keys(shownLine))
  const shown = (i: number): string => /`(\{.*\})`/.exec(rows[i]?.[2] ?? '')?.[1] ?? ''
  const clock = (await (await call('/replay/clock')).json()) as object
  expect(Object.keys(clock)).toEqual(keys(shown(1)))
  const changed = await call(
    '/replay/clock',
    JSON.parse(shown(2).replace(/2026[^"]*/, new Date(T0 + 5_000).toISOString())),
  )
  expect(await changed.json()).toMatchObject({ playing: true, speed: 10 })
})

it('is recorded with the command of the page, whose log and health are those of the page about servers', async () => {
  const [, line = ''] =
    /`tapedeck (record --base-url \S+ --user replay --feed) …`/.exec(readFileSync(PAGE, 'utf8')) ?? []
  const [port] = await freePorts(1)
  const folder = makeFolder('recorder')
  const own = line.replace('http://127.0.0.1:8017', at.base_url)
  const recording = startLine(`${own} crypto/XT:BTC-USD --metrics ${port}`, {
    folder,
    env: { TAPEDECK_PASSWORD: at.password },
  })
  const entries = () =>
    recording
      .err()
      .split('\n')
      .filter(Boolean)
      .map((text) => JSON.parse(text) as Record<string, unknown>)
  const events = () => entries().map(({ event }) => event)
  await waitFor(() => expect(events()).toContain('connected'))
  const servers = readFileSync('docs/guide/servers.md', 'utf8')
  const answers = await Promise.all(
    ['healthz', 'metrics'].map(async (name) => {
      expect(servers).toContain(`\`http://127.0.0.1:9464/${name}\``)
      return fetch(`http://127.0.0.1:${port}/${name}`)
    }),
  )
  const [health, metrics] = await Promise.all(answers.map((answer) => answer.text()))
  for (const check of ['recording', 'feeds', 'disk', 'messages']) expect(health).toContain(`"${check}"`)
  expect(metrics).toContain('tapedeck_feed_open{feed="crypto/XT"} 1')
  await server.end()
  await waitFor(() => expect(events()).toContain('disconnected'))
  expect(await recording.end()).toMatchObject({ code: 0 })
  expect(events()).toEqual(expect.arrayContaining(['started', 'gap', 'ended']))
  const shown = blocksOf('docs/guide/servers.md').find(({ language }) => language === 'json')?.code ?? ''
  for (const text of shown.trimEnd().split('\n')) {
    const entry = JSON.parse(text) as Record<string, unknown>
    const real = entries().find(({ event }) => event === entry['event'])
    expect(Object.keys(real ?? {})).toEqual(Object.keys(entry))
  }
  expect((await runLine('verify', { folder })).code).toBe(0)
})
