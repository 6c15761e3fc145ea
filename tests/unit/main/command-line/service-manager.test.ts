import { describe, expect, it } from 'vitest'
import { findServiceManager } from '../../../../src/main/command-line/service-manager.ts'
import { manualClock } from '../../../kit/clock.ts'
import { commandContext } from '../hosts/cli/context.ts'

const PID = 42

function started(env: Readonly<Record<string, string>>, why?: string) {
  const sent: string[] = []
  const clock = manualClock(0)
  const context = commandContext({ clock, env: { NOTIFY_SOCKET: '/run/notify', ...env } })
  const manager = findServiceManager(
    context,
    (assignments, failed) => {
      sent.push(assignments.join(' '))
      if (why !== undefined) failed(why)
    },
    PID,
  )
  return { sent, clock, context, manager }
}

describe('the service manager', () => {
  it('is told once that the service is ready, each change of its state, and its end', () => {
    const { sent, manager } = started({})
    manager.ready('Recording\nBTC.')
    manager.ready('5 messages.')
    manager.stopping()
    manager.stopping()
    manager.ready('too late')
    expect(sent).toEqual(['READY=1 STATUS=Recording BTC.', 'STATUS=5 messages.', 'STOPPING=1'])
  })

  it.each([
    ['twice in its time', { WATCHDOG_USEC: '2000000' }, 3],
    ['for this process', { WATCHDOG_USEC: '2000000', WATCHDOG_PID: '42' }, 3],
    ['not for another process', { WATCHDOG_USEC: '2000000', WATCHDOG_PID: '41' }, 0],
    ['not unless it watches', {}, 0],
  ])('hears the watchdog fed %s', (_, env, times) => {
    const { sent, clock, manager } = started(env)
    clock.advance(3_000)
    expect(sent).toEqual([])
    manager.ready('Recording.')
    clock.advance(3_000)
    expect(sent.filter((one) => one === 'WATCHDOG=1')).toHaveLength(times)
    manager.stopping()
    clock.advance(10_000)
    expect(sent.filter((one) => one === 'WATCHDOG=1')).toHaveLength(times)
  })

  it('that can’t be told is mentioned once', () => {
    const { context, manager } = started({}, 'systemd-notify isn’t installed')
    manager.ready('a')
    manager.ready('b')
    expect(context.errors()).toBe('Couldn’t tell the service manager: systemd-notify isn’t installed.\n')
  })

  it('is told nothing where there is none', () => {
    const sent: string[] = []
    const manager = findServiceManager(commandContext(), (assignments) => void sent.push(...assignments))
    manager.ready('a')
    manager.stopping()
    expect(sent).toEqual([])
  })
})
