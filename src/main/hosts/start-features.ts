/** Starts features for a host, after finishing what a killed Tapedeck left half done on the disk. */
import { zstdProblem } from '../base/zstd.ts'
import type { MainFeature } from '../terminal/feature.ts'
import type { HostOptions } from '../terminal/host.ts'
import { startTerminal, type RunningFeatures } from '../terminal/start.ts'
import { settleAtStart, settleStore } from './finish-interrupted.ts'

/** Rejects as `startTerminal`. What was settled, and a Node without zstd, are `notes` of the start. */
export function startFeatures(features: readonly MainFeature[], options: HostOptions): Promise<RunningFeatures> {
  const problem = zstdProblem()
  const notes = [...settleAtStart(options.dataDir, options.storeFile ?? null), ...(problem === null ? [] : [problem])]
  return startTerminal(features, { ...options, notes, settleStore })
}
