import { expect, it } from 'vitest'
import type { LogFacts } from '../../../../../src/main/base/log-facts.ts'
import type { ServiceLog } from '../../../../../src/main/command-line/command.ts'
import { HEARTBEAT_MS, startHeartbeat } from '../../../../../src/main/hosts/cli/heartbeat.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { manualClock } from '../../../../kit/clock.ts'
import { status } from '../../../../kit/status.ts'

it.each([
  ['json', 2],
  ['screen', 0],
] as const)(
  'on a log of format %s there are %i heartbeats in two minutes, and the service manager gets each',
  (format, lines) => {
    const clock = manualClock(0)
    const logged: [string, LogFacts | undefined][] = []
    const told: string[] = []
    const log: ServiceLog = { format, add: (_level, text, facts) => void logged.push([text, facts]), entry: () => {} }
    const stop = startHeartbeat(clock, () => status({ nowMs: unixMs(0) }), log, {
      ready: (text) => void told.push(text),
    })
    clock.advance(2 * HEARTBEAT_MS)
    stop()
    clock.advance(2 * HEARTBEAT_MS)
    expect([logged.length, told.length]).toEqual([lines, 2])
    expect(told[0]).toBe('1 feed open, 6 messages stored, 2 gaps today.')
    if (lines > 0)
      expect(logged[0]?.[1]).toMatchObject({
        event: 'heartbeat',
        recording: true,
        feeds_open: 1,
        stored: 6,
        free_bytes: 5e9,
      })
  },
)
