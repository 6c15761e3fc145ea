import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createUpdates } from '../../../../../src/main/features/updates/updates.ts'
import type { Updater } from '../../../../../src/main/terminal/host.ts'
import {
  nextUpdate,
  type Release,
  type UpdateEvent,
  type UpdateState,
} from '../../../../../src/shared/features/updates/updates.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'

const release: Release = { version: '2.0.0', notes: 'Better.', dateMs: 1 }
const STATES: readonly UpdateState[] = [
  { is: 'off', why: 'not installed' },
  { is: 'current', checkedMs: null },
  { is: 'checking', checkedMs: 5 },
  { is: 'downloading', release, done: 0.5, bytesPerSecond: 9 },
  { is: 'ready', release },
  { is: 'failed', message: 'm', hint: 'h', atMs: 7 },
]
const EVENTS: readonly UpdateEvent[] = [
  { is: 'check' },
  { is: 'none', atMs: 8 },
  { is: 'found', release },
  { is: 'progress', done: 0.7, bytesPerSecond: 3 },
  { is: 'verified' },
  { is: 'failed', message: 'm', hint: 'h', atMs: 7 },
]
/** Rows: states as above; columns: events as above. `.`: stays as it is. */
const TABLE: Readonly<Record<UpdateState['is'], string>> = {
  off: '. . . . . .',
  current: 'checking . . . . .',
  checking: '. current downloading . . failed',
  downloading: '. . . downloading ready failed',
  ready: '. . . . . .',
  failed: 'checking . . . . .',
}

describe('the states of an update', () => {
  test.each(
    STATES.flatMap((state) => EVENTS.map((event, i) => [state, event, TABLE[state.is].split(' ')[i]] as const)),
  )('%o, %o → %s', (state, event, goal) => {
    const next = nextUpdate(state, event)
    if (goal === '.') expect(next).toBe(state)
    else expect(next.is).toBe(goal)
  })

  test('never become ready without having been verified, and never lose what was', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS)), (events) => {
        let state: UpdateState = { is: 'current', checkedMs: null }
        let wasReady = false
        for (const event of events) {
          const before = state
          state = nextUpdate(state, event)
          if (state.is === 'ready' && before.is !== 'ready') {
            expect(before.is).toBe('downloading')
            expect(event.is).toBe('verified')
          }
          wasReady ||= state.is === 'ready'
          if (wasReady) expect(state.is).toBe('ready')
        }
      }),
    )
  })
})

function bench(updater: Partial<Updater>, busy: 'recording' | 'replay' | null = null) {
  const planned: { ms: number; then: () => void }[] = []
  const port: Updater = {
    check: vi.fn(async () => release),
    download: vi.fn(async () => undefined),
    install: vi.fn(),
    ...updater,
  }
  const settings = { check: true, channel: 'stable' as const }
  const updates = createUpdates({
    updater: port,
    settings: () => settings,
    busy: () => busy,
    clock: {
      wallMs: () => unixMs(9),
      after(ms, then) {
        planned.push({ ms, then })
        return () => undefined
      },
    },
    changed: () => undefined,
    log: () => undefined,
  })
  return { updates, port, planned, settings }
}

describe('updates', () => {
  test('are asked for after a while and then again, unless switched off', async () => {
    const { port, planned, settings } = bench({})
    expect(planned.map(({ ms }) => ms)).toEqual([60_000])
    planned[0].then()
    expect(port.check).toHaveBeenCalledTimes(1)
    expect(planned[1].ms).toBe(6 * 3_600_000)
    settings.check = false
    planned[1].then()
    expect(port.check).toHaveBeenCalledTimes(1)
  })

  test('are downloaded in the background and installed only on request', async () => {
    const { updates, port } = bench({})
    await updates.check()
    expect(updates.state()).toEqual({ is: 'ready', release })
    expect(port.install).not.toHaveBeenCalled()
    updates.install(false)
    expect(port.install).toHaveBeenCalledTimes(1)
  })

  test.each(['recording', 'replay'] as const)('are not installed during a %s without asking', async (busy) => {
    const { updates, port } = bench({}, busy)
    await updates.check()
    expect(() => updates.install(false)).toThrow(expect.objectContaining({ code: 'not-allowed' }))
    expect(port.install).not.toHaveBeenCalled()
    updates.install(true)
    expect(port.install).toHaveBeenCalledTimes(1)
  })

  test('that are not there cannot be installed', async () => {
    const { updates } = bench({ check: async () => null })
    await updates.check()
    expect(updates.state()).toEqual({ is: 'current', checkedMs: 9 })
    expect(() => updates.install(true)).toThrow(expect.objectContaining({ code: 'not-found' }))
  })
})
