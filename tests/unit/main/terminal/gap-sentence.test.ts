import { describe, expect, it } from 'vitest'
import { gapSentence } from '../../../../src/main/core/recording/status.ts'
import { causeLabel } from '../../../../src/shared/features/alerts/labels.ts'
import { GAP_CAUSES } from '../../../../src/shared/core/recording/session.ts'

describe('what the log says of a gap', () => {
  it('names the cause as everything else does, and passes over the ordinary ones', () => {
    const told = GAP_CAUSES.map((cause) => [cause, gapSentence('crypto/XT', cause)] as const)
    expect(told.flatMap(([cause, text]) => (text === null ? [cause] : []))).toEqual(['connect', 'crash', 'quit'])
    for (const [cause, text] of told) if (text !== null) expect(text).toContain(`opened, ${causeLabel(cause)}.`)
  })
})
