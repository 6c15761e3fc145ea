/** Reports what happens to the session to the status line, the log and the digest. */
import { countText } from '../../../shared/base/count-text.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import type { DigestFold } from '../market/digest.ts'
import type { Recorder } from './recorder-port.ts'
import type { Log } from '../log/log.ts'
import type { Status } from './status.ts'

export interface RecorderEventsParts {
  readonly recorder: Pick<Recorder, 'onEvent'>
  readonly status: Pick<Status, 'say' | 'recovered'>
  readonly fold: Pick<DigestFold, 'reset'>
  readonly log: Log
  readonly changed: () => void
}

/** Reports the recorder's events for as long as it exists. */
export function tellOfRecorder({ recorder, status, fold, log, changed }: RecorderEventsParts): void {
  recorder.onEvent((event) => {
    switch (event.is) {
      case 'began':
      case 'ended':
        break
      case 'broken':
        status.say(`${event.why.message} ${event.why.hint}`)
        log.add('error', 'recorder', event.why.message, event.why.hint)
        break
      case 'cut':
        // A replay empties its fold at the same point.
        fold.reset()
        break
      case 'recovered':
        status.say('Recording has resumed.')
        status.recovered(event.lost)
        log.add('info', 'recorder', `Recording has resumed. ${countText(event.lost, 'message')} lost.`)
        break
      default:
        missingCase(event)
    }
    changed()
  })
}
