/** What the gap loop's recorder asks for, and what it is doing when it is killed. */
export const GAP_WANTS = [
  ['crypto/XT', ['BTC-USD', 'ETH-USD', 'SOL-USD']],
  ['crypto/XQ', ['BTC-USD', 'ETH-USD']],
  ['forex/C', ['EUR/USD']],
] as const

export const PHASES = [
  'recording',
  'sealing',
  'rolling',
  'importing',
  'compacting',
  'backing up',
  'restoring',
  'moving',
  'closing',
] as const
export type Phase = (typeof PHASES)[number]

/** What the importing recorder does now, as it says before and after each step. `held`: some rows are stored, and it stands still. */
export const IMPORT_STAGES = ['importing', 'held', 'imported', 'erasing', 'erased'] as const
export type ImportStage = (typeof IMPORT_STAGES)[number]

/** The session file that it imports, in the folder of its store. */
export const IMPORT_FILE = 'other.tapedeck'
