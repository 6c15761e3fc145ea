/** Switches from one source to another: stops everything, changes the source, and starts everything again. */
import type { CredentialsInput } from '../../../shared/core/account/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { sourceKey } from '../../../shared/core/recording/session.ts'
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
  readonly recorderControl: RecorderControl
  readonly status: Pick<Status, 'say'>
  /** Called after the source has changed: cached data of the previous one is no longer valid. */
  readonly changed: () => void
  /** Called after everything has started again, on the new or the old source. */
  readonly settled: () => void
}

export interface SourceSwitch {
  /** Rejects with the service's error and keeps the current source if signing in fails. */
  connect(input: CredentialsInput): Promise<AccountState>
  /** Deletes the account and opens the demo market. */
  disconnect(): Promise<AccountState>
  /** Shows what the recorders of a team receive, with the settings of now, also if it is the team that is shown. */
  joinTeam(team: string): Promise<AccountState>
  /** Returns to the saved account, or to the demo market if there is none. */
  leaveTeam(): Promise<AccountState>
}

/** The current source is read from `control`. */
export function createSourceSwitch(options: SourceSwitchOptions): SourceSwitch {
  const { control, credentials, settings, feeds, recorderControl, status } = options
  /** Stops everything, runs `change` to select another source, and starts again, on the old one if it fails. */
  const through = <T>(change: () => Promise<T>): Promise<T> =>
    recorderControl.serially(async () => {
      if (recorderControl.closed) throw new CodedError('cancelled', 'Tapedeck is closing.')
      const before = sourceKey(control.source)
      const isShown = (): boolean => sourceKey(control.source) === before
      let isDone = false
      await feeds.stop()
      await recorderControl.end()
      try {
        const result = await change()
        isDone = true
        return result
      } finally {
        if (!isShown()) recorderControl.sourceChanged()
        // A team with another address, history or trusted keys has the same source.
        if (!isShown() || (isDone && control.source.kind === 'team')) options.changed()
        await recorderControl.begin()
        if (control.source.kind !== 'team') feeds.start()
        recorderControl.feedsCountAnew()
        options.settled()
      }
    })

  return {
    async connect(input) {
      // Check first: a wrong password must neither replace a working one nor end the demo market.
      const unreached = await credentials.check(input)
      return through(async () => {
        const fields = await control.useService(input)
        settings.set({ account: { source: 'service', ...fields } })
        status.say(`Signing in to ${control.source.origin}.`)
        const account = credentials.account()
        return { ...account, problem: account.problem ?? unreached }
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
    joinTeam: (team) =>
      through(async () => {
        await control.useTeam(team)
        settings.set({ account: { source: 'team', team } })
        status.say(`Following team ${team}.`)
        return credentials.account()
      }),
    leaveTeam: () =>
      through(async () => {
        const { baseUrl, user, plan, userField, passwordField } = settings.get().account
        const hasAccount = baseUrl !== '' && user !== ''
        if (hasAccount) await control.useService({ baseUrl, user, plan, userField, passwordField })
        else await control.useDemo()
        settings.set({ account: { source: hasAccount ? 'service' : 'demo' } })
        status.say(hasAccount ? `Left the team. Signing in to ${control.source.origin}.` : 'Left the team. Showing the demo market.') // oxfmt-ignore
        return credentials.account()
      }),
  }
}
