import Database from 'better-sqlite3'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { openResponses } from '../../../../../src/main/features/research/responses.ts'
import type { NewResponse } from '../../../../../src/main/features/research/port.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = makeFolder('answers')
  file = join(folder, 'research.db')
})

const response = (text: string, fetchedMs: number, over: Partial<NewResponse> = {}): NewResponse => ({
  source: 'demo',
  endpoint: 'news',
  symbol: '',
  params: '',
  status: 200,
  contentType: 'application/json',
  fetchedMs: unixMs(fetchedMs),
  text,
  ...over,
})

it('keeps every response, and a text that came twice once', async () => {
  const store = openResponses(file)
  const text = JSON.stringify({ a: 'ü'.repeat(100_000) })
  for (let i = 0; i < 20; i++) await store.save(response(text, i))
  await store.save(response('{"failed":1}', 30, { status: 500 }))
  expect(await store.newest(response('', 0), null)).toMatchObject({ fetchedMs: 19, text })
  expect(await store.newest(response('', 0), 7)).toMatchObject({ fetchedMs: 7 })
  const versions = await store.versions(response('', 0), null)
  expect(versions.map(({ status }) => status)).toEqual([500, ...Array.from({ length: 20 }, () => 200)])
  expect(new Set(versions.slice(1).map(({ sha256 }) => sha256)).size).toBe(1)
  expect((await store.byId(versions[0].id))?.text).toBe('{"failed":1}')
  store.close()
  expect(statSync(file).size).toBeLessThan(100_000)
})

it('parts sources, endpoints, symbols and parameters; clears one and leaves the others', async () => {
  const store = openResponses(file)
  const keys = [{}, { source: 'service:a@b' }, { endpoint: 'ratios' as const }, { symbol: 'A' }, { params: 'q=1' }]
  for (const [i, key] of keys.entries()) await store.save(response(`${i}`, i, key))
  for (const [i, key] of keys.entries()) expect((await store.newest(response('', 0, key), null))?.text).toBe(`${i}`)
  await store.clear('demo', 'news')
  expect(await store.newest(response('', 0), null)).toBeNull()
  expect((await store.newest(response('', 0, keys[1]), null))?.text).toBe('1')
  expect((await store.newest(response('', 0, keys[2]), null))?.text).toBe('2')
  await store.clear('demo', null)
  expect(await store.newest(response('', 0, keys[2]), null)).toBeNull()
  store.close()
})

it('finds the good responses of every parameter, as of an instant', async () => {
  const store = openResponses(file)
  const of = (symbol: string, params: string, status = 200) => ({ symbol, params, status })
  const saved = [of('A', 'q=1'), of('A', 'q=2'), of('A', 'q=3', 404), of('B', 'q=1'), of('A', 'q=1')]
  for (const [i, over] of saved.entries()) await store.save(response(`${i}`, i, over))
  const times = async (atMs: number | null) =>
    (await store.received({ source: 'demo', endpoint: 'news', symbol: 'A' }, atMs)).map(({ fetchedMs }) => fetchedMs)
  expect(await times(null)).toEqual([4, 1, 0])
  expect(await times(3)).toEqual([1, 0])
  store.close()
})

it('lists the newest good response of each symbol to some endpoints, up to an instant', async () => {
  const store = openResponses(file)
  const save = (fetchedMs: number, over: Partial<NewResponse>) =>
    store.save(response(`${fetchedMs}`, fetchedMs, { endpoint: 'ratios', ...over }))
  const first = await save(1, { symbol: 'A', params: 'period=annual' })
  const second = await save(2, { symbol: 'A' })
  await save(3, { symbol: 'A', status: 500 })
  const other = await save(4, { symbol: 'B' })
  await save(5, { symbol: 'A', source: 'service:a@b' })
  await save(6, { symbol: 'A', endpoint: 'news' })
  const kpis = await save(7, { symbol: 'A', endpoint: 'kpis' })
  expect(await store.latest('demo', ['ratios', 'kpis'], null)).toEqual([
    { id: kpis, endpoint: 'kpis', symbol: 'A' },
    { id: second, endpoint: 'ratios', symbol: 'A' },
    { id: other, endpoint: 'ratios', symbol: 'B' },
  ])
  expect(await store.latest('demo', ['ratios'], 1)).toEqual([{ id: first, endpoint: 'ratios', symbol: 'A' }])
  await store.clear('demo', null)
  expect(await store.latest('demo', ['ratios'], null)).toEqual([])
  store.close()
})

it('leaves nothing of what was cleared in its files, not even in the log', async () => {
  const store = openResponses(file)
  const held = (): string =>
    [file, `${file}-wal`].map((path) => (existsSync(path) ? readFileSync(path, 'latin1') : '')).join('')
  await store.save(response('{"a":1}', 1))
  for (let i = 0; i < 200; i++)
    await store.save(response(`{"n":${i}}`, i, { endpoint: 'ratios', params: `key=CANARY${i}` }))
  expect(held()).toContain('CANARY')
  await store.clear('demo', 'ratios')
  expect(held()).not.toContain('CANARY')
  expect((await store.newest(response('', 0), null))?.text).toBe('{"a":1}')
  store.close()
})

it('clears at once while another program reads, whose view the log still holds', async () => {
  const store = openResponses(file)
  await store.save(response('{"a":1}', 1))
  const reader = new Database(file, { readonly: true })
  const rows = reader.prepare('SELECT * FROM answer').iterate()
  rows.next()
  await store.clear('demo', null)
  expect(await store.newest(response('', 0), null)).toBeNull()
  rows.return?.()
  reader.close()
  await store.save(response('{"b":1}', 2))
  store.close()
})

it('is there after a restart and beside another program', async () => {
  const first = openResponses(file)
  const second = openResponses(file)
  await first.save(response('"one"', 1))
  await second.save(response('"two"', 2))
  first.close()
  second.close()
  const third = openResponses(file)
  expect(await third.versions(response('', 0), null)).toHaveLength(2)
  third.close()
})

it('shows no text that its hash does not prove', async () => {
  const store = openResponses(file)
  const id = await store.save(response('{"price":100}', 1))
  store.close()
  const db = new Database(file)
  const data = db.prepare<[], Buffer>('SELECT data FROM body').pluck().get()
  if (data === undefined) throw new Error('nothing was kept')
  data[data.length - 3] ^= 1
  db.prepare('UPDATE body SET data = ?').run(data)
  db.close()
  const again = openResponses(file)
  await expect(again.byId(id)).rejects.toMatchObject({ code: 'store-damaged' })
  again.close()
})

it.each([
  ['another program’s database', () => new Database(file).exec('CREATE TABLE x (y)').close(), 'store-damaged'],
  [
    'a file that is none',
    () => writeFileSync(file, 'not a database at all, but long enough to be one'.repeat(9)),
    'store-damaged',
  ],
])('leaves %s untouched', (_, make, code) => {
  make()
  const before = readFileSync(file)
  expect(() => openResponses(file)).toThrow(expect.objectContaining({ code }))
  expect(readFileSync(file).equals(before)).toBe(true)
})

it('refuses the file of a newer version', () => {
  openResponses(file).close()
  const db = new Database(file)
  db.pragma('user_version = 9')
  db.close()
  expect(() => openResponses(file)).toThrow(expect.objectContaining({ code: 'store-newer' }))
})
