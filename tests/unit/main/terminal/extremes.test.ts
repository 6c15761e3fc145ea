/** Numbers that a schema lets through and nobody means, at every call and stream that takes a number, of a real terminal. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { CALL_SAMPLES, STREAM_SAMPLES } from '../../../contract/stub-terminal.ts'
import { dispatchCall, openStream, type Handlers } from '../../../../src/main/rpc/dispatch.ts'
import { store } from '../../../../src/main/core/store/feature.ts'
import type { Terminal } from '../../../../src/main/hosts/open-terminal.ts'
import type { CallName, StreamName } from '../../../../src/shared/contracts.ts'
import { makeFolder } from '../../../kit/folder.ts'
import { startRealTerminal } from '../../../kit/real-terminal.ts'

let folder: string
let terminal: Terminal
let session: string
let replay: string
let internal: string[]
let handlers: Handlers
beforeAll(async () => {
  folder = makeFolder('extremes')
  terminal = await startRealTerminal({
    dataDir: folder,
    source: 'demo',
  })
  await vi.waitFor(() => expect(terminal.status().stored).toBeGreaterThan(100), { timeout: 20_000, interval: 100 })
  await terminal.setRecording(false)
  const [row] = await terminal.service(store).reader.sessions(true)
  session = row.session
  internal = []
  handlers = { ...terminal.handlers, onInternal: (name, { detail }) => void internal.push(`${name}: ${detail}`) }
  const opened = await dispatchCall(handlers, 'replay.open', { sessions: [session], atMs: null })
  if (!opened.ok) throw new Error(opened.error.message)
  replay = (opened.value as { readonly id: string }).id // what this call answers
}, 60_000)
afterAll(async () => {
  await terminal.close()
})

/** Of time, seq and size: beyond every calendar, between two whole numbers, of the other sign. */
const NUMBERS = [-1.7e308, 1.7e308, -8.64e15 - 1, 8.64e15 + 1, 5e-324, -0, 2 ** 53, -(2 ** 53), 0.5, 2 ** 31, -1]

/** Honest arguments with each number of them in turn as an odd one. */
function* odd(value: unknown): Generator<unknown> {
  if (typeof value === 'number' || value === null) yield* NUMBERS
  if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) for (const other of odd(one)) yield value.with(i, other)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) for (const other of odd(one)) yield { ...value, [key]: other }
  }
}
/** Samples name sessions and replays that no terminal has. */
const here = (sample: unknown): unknown =>
  JSON.parse(
    JSON.stringify(sample)
      .replaceAll(/"(session|recording)":"[a-z]+"/g, `"$1":"${session}"`)
      .replaceAll('"replay-1"', JSON.stringify(replay)),
  )

const CALLS: readonly CallName[] = [
  'bars.history',
  'tape.history',
  'replay.seek',
  'replay.options',
  'replay.timeline',
  'bookmarks.add',
  'evidence.coverage',
  'evidence.agreement',
  'evidence.seconds',
  'evidence.messages',
  'alerts.history',
  'workspaces.snapshot',
  'drawings.edit',
]
const STREAMS: readonly StreamName[] = ['bars', 'tape']

describe('numbers that nobody means', () => {
  it.each(CALLS)(
    '%s answers them or refuses them with a sentence',
    async (name) => {
      const more = name === 'evidence.agreement' ? { beforeMs: null } : {}
      const all = [...odd(here({ ...CALL_SAMPLES[name], ...more }))]
      expect(all.length).toBeGreaterThan(5)
      for (const args of all) {
        const result = await dispatchCall(handlers, name, args)
        if (!result.ok) expect(result.error.message).toMatch(/^[A-Z].*\.$/s)
      }
      expect(internal).toEqual([])
    },
    60_000,
  )

  it.each(STREAMS)('the stream %s opens with them or refuses them', (name) => {
    for (const args of odd(here(STREAM_SAMPLES[name]))) {
      const opened = openStream(handlers, name, args, () => undefined)
      if (!opened.ok) continue
      opened.value.take()
      opened.value.close()
    }
    expect(internal).toEqual([])
  })
})
