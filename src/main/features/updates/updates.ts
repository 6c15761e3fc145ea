/**
 * Updates: checked periodically, downloaded in the background, verified by the updater, and installed when the app
 * quits. While recording or replaying, the user is asked first. Behind a port, because some hosts have no updater.
 */
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import type { UpdateSettings } from '../../../shared/features/updates/settings.ts'
import { nextUpdate, type UpdateEvent, type UpdateState } from '../../../shared/features/updates/updates.ts'
import type { Clock } from '../../base/clock.ts'
import type { Updater } from '../../terminal/host.ts'

export interface UpdatesOptions {
  /** `off`: why this copy doesn't update itself. */
  readonly updater: Updater | { readonly off: string }
  readonly settings: () => UpdateSettings
  /** What an installation would interrupt; null: nothing. */
  readonly busy: () => 'recording' | 'replay' | null
  readonly clock: Pick<Clock, 'wallMs' | 'after'>
  readonly changed: () => void
  readonly log: (level: 'info' | 'warn', text: string, detail?: string) => void
}

export interface Updates {
  state(): UpdateState
  check(): Promise<void>
  install(anyway: boolean): void
  close(): void
}

/** Delay of the first check, so that it doesn't slow down the start; later checks run a few times a day. */
const FIRST_MS = 60_000
const EVERY_MS = 6 * 3_600_000

/** Explains to the user why an update failed. */
function failureOf(thrown: unknown): { message: string; hint: string } {
  const text = messageOf(thrown)
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (/sha512|checksum|signature|ERR_CHECKSUM_MISMATCH|not signed/i.test(`${code} ${text}`)) {
    return {
      message: 'The update doesn’t match what its publisher released, so it was deleted.',
      hint: 'Try again later. If the problem remains, install a release yourself after comparing its checksum.',
    }
  }
  if (/ERR_UPDATE_(?:ENDLESS|REDIRECTED)/.test(code)) {
    return {
      message: 'The update server sent more data than an update can have, so the download was stopped.',
      hint: 'Nothing was changed. Tapedeck will try again. If the problem remains, tell the server’s operator.',
    }
  }
  if (code === 'ERR_UPDATE_SLOW') {
    return {
      message: 'The update server didn’t finish its response in time.',
      hint: 'Nothing was changed. Tapedeck will try again.',
    }
  }
  if (
    /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|EAI_AGAIN|ECONNRESET|socket hang up|ERR_INTERNET/i.test(
      `${code} ${text}`,
    )
  ) {
    return { message: 'Couldn’t reach the update server.', hint: 'Tapedeck will try again.' }
  }
  return {
    message: 'Couldn’t download the update.',
    hint: 'Tapedeck will try again. The log has the details.',
  }
}

export function createUpdates(options: UpdatesOptions): Updates {
  const { updater, settings, busy, clock, changed, log } = options
  let state: UpdateState = 'off' in updater ? { is: 'off', why: updater.off } : { is: 'current', checkedMs: null }
  const step = (event: UpdateEvent): void => {
    const next = nextUpdate(state, event)
    if (next === state) return
    state = next
    changed()
  }
  async function check(): Promise<void> {
    if ('off' in updater) return
    step({ is: 'check' })
    if (state.is !== 'checking') return
    try {
      const release = await updater.check(settings().channel)
      if (release === null) return step({ is: 'none', atMs: clock.wallMs() })
      step({ is: 'found', release })
      await updater.download((done, bytesPerSecond) => step({ is: 'progress', done, bytesPerSecond }))
      step({ is: 'verified' })
      log('info', `Tapedeck ${release.version} is ready and will be installed when you quit`)
    } catch (thrown) {
      const failure = failureOf(thrown)
      step({ is: 'failed', ...failure, atMs: clock.wallMs() })
      log('warn', failure.message, messageOf(thrown))
    }
  }
  let cancel = (): void => {}
  const plan = (ms: number): void => {
    cancel = clock.after(ms, () => {
      if (settings().check) void check()
      plan(EVERY_MS)
    })
  }
  if (!('off' in updater)) plan(FIRST_MS)
  return {
    state: () => state,
    check,
    install(anyway) {
      if (state.is !== 'ready' || 'off' in updater) {
        throw new CodedError('not-found', 'There is no update to install.', { hint: 'Check for one first.' })
      }
      const what = busy()
      if (what !== null && !anyway) {
        throw new CodedError('not-allowed', `Tapedeck is ${what === 'recording' ? 'recording' : 'replaying'}.`, {
          hint: 'The update will be installed when you quit. If you install it now, messages sent in the meantime are missed.',
        })
      }
      updater.install()
    },
    close: () => cancel(),
  }
}
