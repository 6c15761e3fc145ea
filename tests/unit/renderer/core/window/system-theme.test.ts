import { describe, expect, it } from 'vitest'
import { systemLook } from '../../../../../src/renderer/core/window/system-theme.svelte.ts'

describe('the look of a first start', () => {
  it('is the system’s zone and language', () => {
    expect(systemLook('Europe/Berlin', 'de-DE')).toEqual({ zone: 'local', numbers: 'system', dates: 'system' })
    expect(systemLook('America/New_York', 'en-US')).toEqual({ zone: 'local' })
    expect(systemLook('UTC', 'fr-FR')).toEqual({ numbers: 'system', dates: 'system' })
  })
  it('stays the default where the system says nothing of its own', () => {
    for (const zone of ['UTC', 'Etc/UTC', 'GMT', '']) expect(systemLook(zone, 'en-US')).toEqual({})
    expect(systemLook('', '')).toEqual({})
  })
})
