import { afterEach, describe, expect, it } from 'vitest'
import { wear, wearAccent } from '../../../../../src/renderer/core/theme/theme.ts'
import { DEFAULT_SETTINGS } from '../../../../kit/settings.ts'

const GROUNDS = { page: '#0e1116', pane: '#141920', raised: '#1b222c', text: '#d7dee8', dim: '#8b97a8' }

describe('the root of a document', () => {
  const root = document.documentElement
  const set = (token: string) => root.style.getPropertyValue(token)
  afterEach(() => root.removeAttribute('style'))

  it('wears it, and its own again when it is taken away', () => {
    wear(root, DEFAULT_SETTINGS.appearance, 'dark', 'less')
    for (const [token, value] of Object.entries(GROUNDS)) root.style.setProperty(`--${token}`, value)
    wearAccent(root, '#3fb950')
    expect(set('--accent')).toBe('#3fb950')
    expect(set('--on-accent')).toBe('#000000')
    wearAccent(root, null)
    for (const token of ['--accent', '--accent-text', '--on-accent', '--selected']) expect(set(token)).toBe('')
    wearAccent(root, 'a colour from nowhere')
    expect(set('--accent')).toBe('')
  })
})
