import { describe, expect, it, vi } from 'vitest'
import { Patience } from '../../../../../../src/main/features/team/nats/patience.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { manualClock } from '../../../../../kit/clock.ts'

const T0 = 1_700_000_000_000

/** Servers that don't respond to a request for two seconds each time, until `respondMs` have passed. */
function start(respondMs: number, code: CodedError['code'] = 'timeout') {
  const clock = manualClock(T0)
  const said: string[] = []
  const stop = new AbortController()
  const patience = new Patience({ clock, signal: stop.signal, err: (text) => void said.push(text) })
  const read = vi.fn(async () => {
    if (clock.wallMs() - T0 >= respondMs) return 'facts'
    await new Promise<void>((resolve) => void clock.after(2_000, resolve))
    throw new CodedError(code, 'No reply.')
  })
  return { clock, said, stop, patience, read }
}

async function outcomeOf<T>(work: Promise<T>, clock: ReturnType<typeof manualClock>): Promise<unknown> {
  let outcome: unknown
  const done = work.then(
    (value) => void (outcome = value),
    (thrown: unknown) => void (outcome = thrown),
  )
  for (let i = 0; i < 200 && outcome === undefined; i++) await clock.pass(500)
  await done
  return outcome
}

describe('a command whose servers don’t respond', () => {
  it('waits while a cluster chooses leaders twice, and says so once', async () => {
    const { clock, said, patience, read } = start(20_000)
    expect(await outcomeOf(patience.read(read), clock)).toBe('facts')
    expect(said).toEqual(['No reply. Trying again for up to 30 s.\n'])
  })

  it('waits for a connection that was lost, too, but not for servers that it can’t reach at all', async () => {
    const { clock, patience, read } = start(5_000, 'offline')
    expect(await outcomeOf(patience.read(read), clock)).toBe('facts')
    const first = start(5_000, 'offline')
    expect(await outcomeOf(first.patience.try(first.read, ['timeout']), first.clock)).toMatchObject({ code: 'offline' })
    expect(first.read).toHaveBeenCalledTimes(1)
  })

  it('says after 30 s how long it waited, over all that it asked', async () => {
    const { clock, patience, read } = start(16_000)
    await outcomeOf(patience.read(read), clock)
    const silent = (): Promise<never> => Promise.reject(new CodedError('timeout', 'No reply.'))
    const failure = await outcomeOf(patience.read(silent), clock)
    expect(failure).toMatchObject({ code: 'timeout', message: 'The team’s NATS servers didn’t respond for 30 s.' })
    expect(clock.wallMs() - T0).toBeLessThan(33_000)
  })

  it('ends with Ctrl+C', async () => {
    const { clock, stop, patience, read } = start(Infinity)
    clock.after(3_000, () => stop.abort())
    expect(await outcomeOf(patience.read(read), clock)).toMatchObject({ message: 'No reply.' })
    expect(read.mock.calls.length).toBeLessThan(4)
  })
})
