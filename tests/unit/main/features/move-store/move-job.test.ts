import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { JobState } from '../../../../../src/shared/core/jobs/jobs.ts'
import type { StatusState } from '../../../../../src/shared/core/status/status.ts'
import type { StreamSource } from '../../../../../src/shared/rpc/transport.ts'
import { store } from '../../../../../src/main/core/store/feature.ts'
import { live } from '../../../../../src/main/core/views/live-feature.ts'
import { jobs } from '../../../../../src/main/core/jobs/feature.ts'
import { moveStore } from '../../../../../src/main/features/move-store/feature.ts'
import { createJobs } from '../../../../../src/main/core/jobs/jobs.ts'
import { createStorePlace } from '../../../../../src/main/core/store/store-place.ts'
import { createStoreMoving } from '../../../../../src/main/features/move-store/move-job.ts'
import type { Terminal } from '../../../../../src/main/hosts/open-terminal.ts'
import type { HostOptions } from '../../../../../src/main/terminal/host.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { startRealTerminal } from '../../../../kit/real-terminal.ts'

let folder: string
let terminals: Terminal[]
beforeEach(() => {
  folder = makeFolder('move')
  terminals = []
})
afterEach(async () => {
  for (const terminal of terminals) await terminal.close()
})

async function terminalOf(options: Partial<HostOptions> = {}): Promise<Terminal> {
  const terminal = await startRealTerminal({
    dataDir: join(folder, 'home'),
    source: 'demo',
    ...options,
  })
  terminals.push(terminal)
  return terminal
}

async function follow<T>(open: (wake: () => void) => StreamSource<T>, until: (value: T) => boolean): Promise<T> {
  const found = Promise.withResolvers<T>()
  const take = () => {
    const value = source.take()
    if (value !== undefined && until(value)) found.resolve(value)
  }
  const source = open(() => setImmediate(take))
  take()
  return found.promise.finally(() => source.close())
}
const status = (terminal: Terminal, until: (value: StatusState) => boolean) =>
  follow((wake) => terminal.service(live).statusStreams.open(wake), until)
const ended = async (terminal: Terminal, job: string): Promise<JobState | undefined> =>
  (
    await follow(
      (wake) => terminal.service(jobs).streams.open(wake),
      (jobs) => jobs.find(({ id }) => id === job)?.outcome.is !== 'running',
    )
  ).find(({ id }) => id === job)

it('moves the store while it records: a session ends, another begins with a gap, and all of it is sound', async () => {
  const terminal = await terminalOf()
  await status(terminal, ({ stored }) => stored > 50)
  const before = terminal.info.storePath
  const target = join(folder, 'large')
  const job = await ended(terminal, await terminal.service(moveStore).move(target))
  const path = join(target, 'tapedeck.db')
  expect(job?.outcome).toMatchObject({ is: 'done', text: path, result: { path, leftovers: false } })
  expect(terminal.info.storePath).toBe(join(target, 'tapedeck.db'))
  expect(existsSync(before)).toBe(false)
  const { received } = await status(terminal, ({ recorder }) => recorder.is === 'recording')
  await status(terminal, ({ stored }) => stored > received + 20)
  await terminal.close()

  const again = await terminalOf({ record: false })
  expect(again.info.storePath).toBe(join(target, 'tapedeck.db'))
  const sessions = [...(await again.service(store).reader.sessions(true))].sort((a, b) => a.startedMs - b.startedMs)
  expect(sessions).toMatchObject([{ clean: true }, { clean: true }])
  expect(sessions[1]?.gaps.some(({ cause, fromMs }) => cause === 'disk' && fromMs <= sessions[1].startedMs)).toBe(true)
  expect(await again.service(store).reader.verify(null)).toMatchObject({ ok: true, problems: [] })
}, 30_000)

it('is cancelled while it pauses: says so meanwhile, and records on at the old place', async () => {
  const terminal = await terminalOf()
  await status(terminal, ({ stored }) => stored > 50)
  const before = terminal.info.storePath
  const target = join(folder, 'large')
  const job = await terminal.service(moveStore).move(target)
  const { recorder } = await status(terminal, (now) => now.recorder.is === 'paused')
  terminal.service(jobs).cancel(job)
  expect(recorder).toMatchObject({ is: 'paused', why: { message: 'The store is being moved.' } })
  expect((await ended(terminal, job))?.outcome).toEqual({ is: 'cancelled' })
  expect(terminal.info.storePath).toBe(before)
  expect(existsSync(target)).toBe(false)
  await status(terminal, (now) => now.recorder.is === 'recording')
  expect(await terminal.service(store).reader.verify(null)).toMatchObject({ ok: true, problems: [] })
}, 30_000)

it('refuses before a job is made: no room, a place that is fixed, other work, a replay', async () => {
  const file = join(folder, 'tapedeck.db')
  writeFileSync(file, 'a store')
  const jobs = createJobs(() => 0)
  const facts = { fixed: null as string | null, replays: 0, free: 1e12 }
  const unasked = async () => {
    throw new Error('the store was touched')
  }
  const moving = createStoreMoving({
    place: createStorePlace(file),
    dataDir: folder,
    jobs,
    reader: { pause: unasked, open: unasked },
    writer: { pause: unasked, open: unasked },
    recorderControl: { serially: unasked, interrupt: unasked, begin: unasked },
    replays: () => facts.replays,
    fixed: () => facts.fixed,
    keep: () => {},
    changed: () => {},
    log: () => {},
    free: async () => facts.free,
  })
  const move = () => moving.move(join(folder, 'large'))
  facts.fixed = 'It stays.'
  await expect(move()).rejects.toMatchObject({ code: 'not-allowed', message: 'It stays.' })
  facts.fixed = null
  facts.replays = 1
  await expect(move()).rejects.toMatchObject({ code: 'busy' })
  facts.replays = 0
  facts.free = 1_000
  await expect(move()).rejects.toMatchObject({ code: 'disk-full' })
  const work = Promise.withResolvers<{ text: string }>()
  jobs.start('export', 'one', 'rows', () => work.promise)
  await expect(move()).rejects.toMatchObject({ code: 'busy' })
  work.resolve({ text: '' })
  await jobs.close()
})
