/** The account in use: who signs in where. Secrets go in and never come out. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { call, none } from '../../rpc/contract.ts'
import type { AccountState, ConnectionStep } from '../status/status.ts'

const credentials = v.strictObject({
  baseUrl: text(2048),
  user: text(320),
  /** Absent: keep the stored one. */
  password: v.optional(text(4096)),
  apiKey: v.optional(text(4096)),
  plan: v.optional(text(64)),
  /** Names of the fields of the token request's body. */
  userField: v.optional(text(64)),
  passwordField: v.optional(text(64)),
})
export type CredentialsInput = v.InferOutput<typeof credentials>

export const ACCOUNT_CALLS = {
  'account.get': call<AccountState>()(none),
  /** Tries each step in turn without storing anything; a step that failed ends the list. */
  'account.test': call<readonly ConnectionStep[]>()(credentials),
} as const

/** From one source of the live market to another. */
export const SOURCE_CALLS = {
  /** Stores the credentials (keychain) and switches every feed to this service. */
  'account.connect': call<AccountState>()(credentials),
  /** Forgets the credentials and returns to the demo market. */
  'account.disconnect': call<AccountState>()(none),
} as const

export const ACCOUNT_STREAMS = { account: call<AccountState>()(none) } as const
