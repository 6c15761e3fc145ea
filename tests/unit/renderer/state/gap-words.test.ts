import { describe, expect, it } from 'vitest'
import { causeText } from '../../../../src/renderer/state/replay-words.ts'
import { causeWords } from '../../../../src/shared/alerts/words.ts'
import { GAP_CAUSES } from '../../../../src/shared/recording.ts'

describe('a cause of a gap', () => {
  it('has one name, and no other cause has it', () => {
    const names = GAP_CAUSES.map(causeText)
    expect(GAP_CAUSES.map(causeWords)).toEqual(names)
    expect(new Set(names).size).toBe(GAP_CAUSES.length)
  })
})
