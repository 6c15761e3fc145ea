import { describe, expect, it } from 'vitest'
import { scaledValue } from '../../../../src/renderer/styles/text-scale.ts'

describe('the size of the text', () => {
  it.each([
    ['font-size', '11px', '0.6875rem'],
    ['font', '12px/16px var(--font)', '0.75rem/1rem var(--font)'],
    ['font-size', '8px', '0.5rem'],
    ['height', '24px', '1.5rem'],
    ['height', '1px', '1px'],
    ['height', '100%', '100%'],
    ['min-width', '0', '0'],
    ['width', 'max(100%, 300px)', 'max(100%, 18.75rem)'],
    ['max-height', 'calc(100vh - 90px)', 'calc(100vh - 5.625rem)'],
    ['grid-template-columns', '84px minmax(0, 1fr) 6px', '5.25rem minmax(0, 1fr) 6px'],
    ['columns', '300px auto', '18.75rem auto'],
    ['grid-auto-columns', 'minmax(128px, 1fr)', 'minmax(8rem, 1fr)'],
    ['padding', '0 12px', '0 12px'],
    ['border', '1px solid var(--line)', '1px solid var(--line)'],
    ['clip-path', 'polygon(9px 0, 100% 100%)', 'polygon(9px 0, 100% 100%)'],
    ['width', 'var(--w-12px)', 'var(--w-12px)'],
  ])('builds %s: %s as %s', (property, value, built) => {
    expect(scaledValue(property, value)).toBe(built)
  })
  it('leaves what it built as it is', () => {
    expect(scaledValue('height', scaledValue('height', '24px'))).toBe('1.5rem')
  })
})
