/** What an alert can do outside of Tapedeck when it fires. Off until the user sets an action up. */

export const ALERT_ACTIONS = ['webhook', 'ntfy', 'command'] as const
export type AlertAction = (typeof ALERT_ACTIONS)[number]

/** Actions that a window may set up. A page must not choose what programs this computer runs. */
export const WINDOW_ACTIONS = ['webhook', 'ntfy'] as const
export type WindowAction = (typeof WINDOW_ACTIONS)[number]

/** How an action is set up and doing. Times in UTC ms. */
export interface ActionState {
  readonly action: AlertAction
  /** The address, or the program with its arguments; '' if the action is off. */
  readonly target: string
  /** A secret for it is saved: the key that signs webhooks, or the access token of ntfy. */
  readonly hasSecret: boolean
  readonly waiting: number
  readonly done: number
  readonly failed: number
  /** What went wrong last, and when. */
  readonly problem: { readonly atMs: number; readonly message: string } | null
}
