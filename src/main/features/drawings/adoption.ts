/** Assigns drawings that were saved before each market had its own. */
import { existsSync } from 'node:fs'
import { adoptDemoDrawings } from './drawings-file.ts'

export interface AdoptionOptions {
  readonly folder: string
  /** Whether this start has an account, or the settings can't be read. */
  readonly hasAccount: boolean
  /** Sources of all recorded sessions, as `sourceKey` writes them. */
  readonly sources: () => Promise<readonly string[]>
  readonly problem: (text: string, detail: string) => void
}

/**
 * Assigns drawings without a market to the demo market if there was never an account. (A user who only signed out must
 * find their drawings when they sign in again.) Never rejects.
 */
export async function adoptWithoutAccount({ folder, hasAccount, sources, problem }: AdoptionOptions): Promise<void> {
  if (hasAccount || !existsSync(folder)) return
  const hadAccount = await sources().then(
    (all) => all.some((source) => source.startsWith('service:')),
    () => true, // if the store can't be read, assume that there was an account
  )
  if (!hadAccount) adoptDemoDrawings(folder, problem)
}
