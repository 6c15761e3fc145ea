/** Decides which market owns drawings that were saved before drawings were kept per market. */
import { existsSync } from 'node:fs'
import { adoptDemoDrawings } from './drawings-file.ts'

export interface AdoptionOptions {
  readonly folder: string
  /** Whether this start has an account, or its settings can't tell. */
  readonly hasAccount: boolean
  /** Sources of all recorded sessions, as `sourceKey` writes them. */
  readonly sources: () => Promise<readonly string[]>
  readonly problem: (text: string, detail: string) => void
}

/**
 * Assigns drawings that name no market to the demo market if there never was an account: a user who signed out for a
 * while must find their drawings with the account again. Never rejects.
 */
export async function adoptWithoutAccount({ folder, hasAccount, sources, problem }: AdoptionOptions): Promise<void> {
  if (hasAccount || !existsSync(folder)) return
  const hadAccount = await sources().then(
    (all) => all.some((source) => source.startsWith('service:')),
    () => true, // a store that can't be read can't tell
  )
  if (!hadAccount) adoptDemoDrawings(folder, problem)
}
