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
