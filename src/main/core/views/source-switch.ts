/** From one source to another: everything stops, the source is changed, and all of it starts again. */
import type { CredentialsInput } from '../../../shared/core/account/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { sourceKey } from '../../../shared/core/recording/recording.ts'
import type { AccountState } from '../../../shared/core/status/status.ts'
import type { Credentials } from '../account/credentials.ts'
import type { LiveFeeds } from '../feeds/feeds.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { RecorderControl } from '../recording/recorder-control.ts'
import type { SourceControl } from '../account/source.ts'
import type { Status } from '../recording/status.ts'

export interface SourceSwitchOptions {
  readonly control: SourceControl
  readonly credentials: Credentials
  readonly settings: SettingsStore
  readonly feeds: Pick<LiveFeeds, 'stop' | 'start'>
  readonly recordings: RecorderControl
  readonly status: Pick<Status, 'say'>
  /** The source is another one now: what is known of the one before is of no use. */
  readonly changed: () => void
  /** All of it has started again, on whichever source. */
  readonly settled: () => void
}

export interface SourceSwitch {
  /** Rejects with what the service said, and stays where it was, when the account does not let us in. */
  connect(input: CredentialsInput): Promise<AccountState>
  /** Forgets the account and opens the demo market. */
  disconnect(): Promise<AccountState>
}

/** The source in use is the source control's. */
export function createSourceSwitch(options: SourceSwitchOptions): SourceSwitch {
  const { control: control, credentials, settings, feeds, recordings, status } = options
  /** Stops everything, lets `change` choose another source, and starts again, on the old one if it fails. */
  const through = <T>(change: () => Promise<T>): Promise<T> =>
    recordings.serially(async () => {
      if (recordings.closed) throw new CodedError('cancelled', 'Tapedeck is closing.')
      const before = sourceKey(control.source)
      await feeds.stop()
      await recordings.end()
      try {
        return await change()
      } finally {
        if (sourceKey(control.source) !== before) {
          recordings.sourceChanged()
          options.changed()
        }
        await recordings.begin()
        feeds.start()
        recordings.feedsCountAnew()
        options.settled()
      }
    })

  return {
    async connect(input) {
      // A password that is refused must neither replace one that works nor end the demo market.
      await credentials.check(input)
      return through(async () => {
        const fields = await control.useService(input)
        settings.set({ account: { source: 'service', ...fields } })
        status.say(`Signing in to ${control.source.origin}.`)
        return credentials.account()
      })
    },
    disconnect: () =>
      through(async () => {
        await credentials.forget()
        await control.useDemo()
        settings.set({ account: { source: 'demo', baseUrl: '', user: '', plan: '' } })
        status.say('Signed out. Showing the demo market.')
        return credentials.account()
      }),
  }
}
