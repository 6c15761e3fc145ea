/** What the recorder of the crash loop asks for: two connections. */
export const CRASH_WANTS = [
  ['crypto/XT', ['BTC-USD', 'ETH-USD', 'SOL-USD']],
  ['crypto/XQ', ['BTC-USD', 'ETH-USD']],
] as const
