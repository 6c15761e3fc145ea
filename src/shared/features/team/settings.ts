/** How this terminal reaches a team. Its name is in the account, secrets are in the keychain. */
import * as v from 'valibot'
import { settingsSection } from '../../core/settings/settings.ts'

/** Longest text of trusted keys, in characters: some 700 recorders. */
export const MAX_TRUST_CHARS = 65_536

/** Stands for trusted keys that can't be read. It isn't a key, so the team isn't followed until the list is fixed. */
const UNREADABLE_TRUST = 'unreadable'

const text = (max: number) => v.fallback(v.pipe(v.string(), v.maxLength(max)), '')

const schema = v.object({
  /** NATS servers, `nats://HOST:PORT`, several separated by commas. */
  upstream: text(2_048),
  /** The history, `postgres://USER@HOST:PORT/DATABASE`; '' if there is none. */
  history: text(2_048),
  /** File of the certificate authority of the NATS servers; '' for the system's. */
  ca: text(4_096),
  /** Accept nats-server below 2.11. */
  allowOldNats: v.fallback(v.boolean(), false),
  /** Public keys of the recorders, a key and a name on each line; '' follows sessions no matter who signed them. */
  trust: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(MAX_TRUST_CHARS)), ''), UNREADABLE_TRUST),
})
export type TeamSettings = v.InferOutput<typeof schema>
export const teamSettings = settingsSection('team', schema)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    team: TeamSettings
  }
}
