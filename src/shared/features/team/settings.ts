/** How this terminal reaches a team. Its name is in the account, secrets are in the keychain. */
import * as v from 'valibot'
import { settingsSection } from '../../core/settings/settings.ts'

const text = (max: number) => v.fallback(v.pipe(v.string(), v.maxLength(max)), '')

const schema = v.optional(
  v.object({
    /** NATS servers, `nats://HOST:PORT`, several separated by commas. */
    upstream: text(2_048),
    /** The history, `postgres://USER@HOST:PORT/DATABASE`; '' if there is none. */
    history: text(2_048),
    /** File of the certificate authority of the NATS servers; '' for the system's. */
    ca: text(4_096),
    /** Accept nats-server below 2.11. */
    allowOldNats: v.fallback(v.boolean(), false),
  }),
  { upstream: '', history: '', ca: '', allowOldNats: false },
)
export type TeamSettings = v.InferOutput<typeof schema>
export const teamSettings = settingsSection('team', schema)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    team: TeamSettings
  }
}
