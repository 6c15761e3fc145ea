/** The recorder as a feature: stores everything that the feeds receive. */
import { defineFeature } from '../../terminal/feature.ts'
import { store } from '../store/feature.ts'
import { newSessionId } from '../store/types/session-id.ts'
import { watchCommits, type CommitWatch } from './committed.ts'
import { createGrowth, createSkew, type Growth, type Skew } from './measures.ts'
import type { Recorder } from './recorder-port.ts'
import { createRecorder } from './recorder.ts'

export interface RecordingService {
  readonly recorder: Recorder
  readonly commits: CommitWatch
  readonly skew: Skew
  readonly growth: Growth
}

export const recording = defineFeature({
  name: 'recording',
  needs: { store },
  start({ store: { writer } }, { clock }) {
    const skew = createSkew()
    const recorder = createRecorder({ writer, clock, newId: newSessionId, skewMs: () => skew.ms })
    const service: RecordingService = { recorder, commits: watchCommits(writer, clock), skew, growth: createGrowth() }
    return { service }
  },
})
