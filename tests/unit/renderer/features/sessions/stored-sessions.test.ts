import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { StoredSessions } from '../../../../../src/renderer/features/sessions/stored-sessions.svelte.ts'
import type { Toast } from '../../../../../src/renderer/ui/toasts.svelte.ts'
import type { Failure } from '../../../../../src/shared/base/errors.ts'
import type { SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { makeSession } from '../../../../kit/market.ts'
import { TestTransport } from '../../../../kit/transport.ts'

describe('the stored sessions of a window', () => {
  const [a, b] = [makeSession('a', { name: 'CPI day' }), makeSession('b', {})]
  let transport: TestTransport
  let sessions: StoredSessions
  let listed: readonly SessionRow[]
  const told: Failure[] = []
  const notices: { text: string; undo: (() => void) | undefined }[] = []
  const show = (text: string, { action }: Partial<Toast> = {}) => void notices.push({ text, undo: action?.run })
  beforeEach(async () => {
    told.length = notices.length = 0
    listed = [a, b]
    transport = new TestTransport().answer('sessions.list', () => listed)
    sessions = new StoredSessions(
      { transport, tell: (failure) => void told.push(failure), toasts: { show } },
      ({ name }) => name,
    )
    await sessions.load()
  })
  const refuse = () => {
    throw new Error('busy')
  }

  it('are listed, and stay listed when the terminal can’t list them again', async () => {
    expect([sessions.rows, sessions.problem]).toEqual([[a, b], null])
    transport.answer('sessions.list', refuse)
    await sessions.load()
    expect(sessions.rows).toEqual([a, b])
    expect(sessions.problem).not.toBeNull()
  })

  it('are listed again at once when the recorder ends one, and until it is closed on disk', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const live = () => sessions.rows?.map((row) => row.live)
    const rows = (live: boolean) => [makeSession('a', { live }), makeSession('b', { live: false })]
    listed = rows(true)
    const leave = sessions.follow()
    sessions.recorded('a')
    await vi.advanceTimersByTimeAsync(1)
    expect(live()).toEqual([true, false])
    const before = transport.callsOf('sessions.list').length
    sessions.recorded(null)
    await vi.advanceTimersByTimeAsync(1)
    expect(transport.callsOf('sessions.list')).toHaveLength(before + 1)
    listed = rows(false)
    await vi.advanceTimersByTimeAsync(250)
    expect(live()).toEqual([false, false])
    // From now on as before: every five seconds, and not after the list is left.
    await vi.advanceTimersByTimeAsync(4_900)
    expect(transport.callsOf('sessions.list')).toHaveLength(before + 2)
    await vi.advanceTimersByTimeAsync(100)
    expect(transport.callsOf('sessions.list')).toHaveLength(before + 3)
    leave()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(transport.callsOf('sessions.list')).toHaveLength(before + 3)
  })

  it('go to the bin with a notice that undoes it, and leave the list after the selection moved', async () => {
    transport.answer('sessions.bin', () => {
      listed = [b]
      return null
    })
    const seen: unknown[] = []
    const undo = vi.fn()
    await sessions.bin([a], true, () => seen.push(sessions.rows), undo)
    expect(seen).toEqual([[a, b]])
    expect(sessions.rows).toEqual([b])
    expect(transport.callsOf('sessions.bin')).toEqual([{ sessions: ['a'], binned: true }])
    expect(notices.map(({ text }) => text)).toEqual(['CPI day was moved to the bin.'])
    notices[0]?.undo?.()
    expect(undo).toHaveBeenCalledTimes(1)
    await sessions.bin([a, b], false, () => undefined, undo)
    expect(notices[1]?.text).toBe('2 sessions were restored.')
  })

  it('stay where they are if the terminal refuses, which the window reports', async () => {
    for (const name of ['sessions.bin', 'sessions.erase', 'sessions.annotate', 'sessions.compact'] as const)
      transport.answer(name, refuse)
    const moved = vi.fn()
    await sessions.bin([a], true, moved, moved)
    await sessions.erase([a], moved)
    await sessions.annotate([{ session: a.session, pinned: true }])
    await sessions.compact()
    expect(told).toHaveLength(4)
    expect(moved).not.toHaveBeenCalled()
    expect(notices).toEqual([])
    expect(sessions.rows).toEqual([a, b])
  })
})
