import { describe, expect, it, vi } from 'vitest'
import { lazyStatements } from '../../../../../../src/main/core/store/schema/sqlite.ts'

describe('lazy statements', () => {
  it('prepares a statement once, when it is first used', () => {
    const first = vi.fn(() => ({ sql: 'first' }))
    const second = vi.fn(() => ({ sql: 'second' }))
    const statements = lazyStatements({ first, second })
    expect(first).not.toHaveBeenCalled()
    const { first: statement } = statements
    expect(statement).toEqual({ sql: 'first' })
    expect(statements.first).toBe(statement)
    expect(first).toHaveBeenCalledTimes(1)
    expect(second).not.toHaveBeenCalled()
  })

  it('tries again after a failure, such as a busy disk', () => {
    let tries = 0
    const statements = lazyStatements({
      flaky: () => {
        if (++tries === 1) throw new Error('busy')
        return 'prepared'
      },
    })
    expect(() => statements.flaky).toThrow('busy')
    expect(statements.flaky).toBe('prepared')
  })
})
