/** Jobs that test alerts on recorded sessions. */
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { Drawing } from '../../../shared/features/drawings/types.ts'
import type { JobId } from '../../../shared/core/jobs/jobs.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { testAlert } from './alert-test.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'

/** The longest a test runs before it yields to the market, ms. */
const TURN_MS = 4

interface Parts {
  readonly reader: StoreReader
  readonly jobs: Pick<Jobs, 'start'>
  readonly clock: Clock
  /** The drawings of an instrument in the market of a session's source. */
  readonly drawings: (source: string, instrument: InstrumentId) => readonly Drawing[]
  readonly symbolOf: (instrument: InstrumentId) => string
}

/** Starts a job of kind `alert`. Rejects with `not-found` if there is no such session. */
export async function startAlertTest(
  { reader, jobs, clock, drawings, symbolOf }: Parts,
  { alert, session, fromMs, toMs }: CallArgs<'alerts.test'>,
): Promise<JobId> {
  const row = (await reader.sessions(true)).find((each) => each.session === session)
  if (row === undefined) {
    throw new CodedError('not-found', `There is no session "${session}".`, {
      hint: 'Choose one from the list of sessions.',
    })
  }
  return jobs.start('alert', `alert on ${symbolOf(alert.instrument)}`, 'messages', async (progress, signal) => {
    const result = await testAlert({
      reader,
      draft: alert,
      session,
      fromMs,
      toMs,
      drawings: (instrument) => drawings(row.source, instrument),
      turnMs: TURN_MS,
      realMs: () => clock.monoNs() / 1e6,
      signal,
      progress: (done, count) => progress({ done, count }),
    })
    const { fired } = result
    const times = fired === 1 ? 'once' : `${fired} times`
    return { text: fired === 0 ? 'It would not have fired.' : `It would have fired ${times}.`, result }
  })
}
