/** One line of the table that `npm run bench` prints. */
export interface Row {
  readonly name: string
  readonly unit: string
  readonly ours: number
  /** The ceiling or peer, measured in the same run on the same data. */
  readonly peer: number
  readonly peerName: string
  /** ours / peer. */
  readonly ratio: number
  /** What the ratio should be; null: for information. */
  readonly goal: { readonly is: 'at least' | 'at most'; readonly ratio: number } | null
  /** Processor time a message of all processes that take part, µs; NaN: not measured. */
  readonly cpuUs?: { readonly ours: number; readonly peer: number }
}

/** A row with its ratio. */
export function row(row: Omit<Row, 'ratio'>): Row {
  return { ...row, ratio: row.ours / row.peer }
}

/** Seconds that `work` takes: the best of `times`. */
export async function seconds(times: number, work: () => unknown): Promise<number> {
  let best = Infinity
  for (let i = 0; i < times; i++) {
    const from = process.hrtime.bigint()
    await work()
    best = Math.min(best, Number(process.hrtime.bigint() - from) / 1e9)
  }
  return best
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

/** Both in turn, the best of `times` each: what else the machine does then meets both alike. */
export async function duel(
  times: number,
  ours: () => unknown,
  theirs: () => unknown,
): Promise<{ readonly ours: number; readonly theirs: number }> {
  const best = { ours: Infinity, theirs: Infinity }
  for (let i = 0; i < times; i++) {
    best.ours = Math.min(best.ours, await seconds(1, ours))
    best.theirs = Math.min(best.theirs, await seconds(1, theirs))
  }
  return best
}

/** The value that a `share` of all values does not exceed. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
