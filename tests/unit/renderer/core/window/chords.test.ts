import { describe, expect, it } from 'vitest'
import { withKeys, withoutOwn } from '../../../../../src/renderer/core/settings/own-keys.ts'
import { chordText } from '../../../../../src/renderer/ui/chord-text.ts'
import { chordOf, unfitness, type KeyPress } from '../../../../../src/renderer/core/window/chords.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { CommandTable, type OwnKeys } from '../../../../../src/renderer/core/window/command-table.ts'
import { commandsOf } from '../../open-window.ts'

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
})
const all = commandsOf()
const table = (own: OwnKeys = {}) => {
  const made = new CommandTable<WindowState>(() => own)
  made.add(all)
  return made
}
const command = (id: string) => {
  const found = table().find(id)
  if (!found) throw new Error(`no command ${id}`)
  return found
}

describe('a chord', () => {
  it.each([
    ['k', { ctrlKey: true }, 'Ctrl+K'],
    ['k', { metaKey: true }, 'Ctrl+K'],
    ['?', { shiftKey: true }, '?'],
    ['ArrowUp', { shiftKey: true, altKey: true }, 'Alt+Shift+\u2191'],
    ['F', { ctrlKey: true, shiftKey: true }, 'Ctrl+Shift+F'],
    ['F', { ctrlKey: true }, 'Ctrl+F'],
    ['?', { ctrlKey: true, shiftKey: true }, 'Ctrl+?'],
    [' ', {}, 'Space'],
    ['F2', {}, 'F2'],
    ['\u00AC', { altKey: true, code: 'KeyL' }, 'Alt+L'],
    ['\u00A1', { altKey: true, code: 'Digit1' }, 'Alt+1'],
    ['\u00E9', { code: 'Digit2' }, '\u00C9'],
  ])('of %s %o is %s', (key, more, chord) => {
    expect(chordOf(press(key, more))).toBe(chord)
  })
  it.each(['Shift', 'Control', 'Alt', 'Meta', 'Dead', 'AltGraph'])('is none while only %s is down', (key) => {
    expect(chordOf(press(key))).toBeNull()
  })
  it('is written as the platform writes it', () => {
    expect(chordText('Ctrl+Alt+Shift+\u2191', 'darwin')).toBe('\u2318\u2325\u21E7\u2191')
    expect(chordText('Ctrl+K', 'linux')).toBe('Ctrl+K')
  })
  it('that types or that belongs to others cannot be given', () => {
    expect(unfitness('A', 'electron')).toBe('types')
    expect(unfitness('5', 'electron')).toBe('digit')
    expect(unfitness('Tab', 'electron')).toBe('fixed')
    expect(unfitness('Ctrl+W', 'browser')).toBe('browser')
    expect(unfitness('Ctrl+W', 'electron')).toBeNull()
    expect(unfitness('Alt+A', 'browser')).toBeNull()
  })
})

describe('own keys', () => {
  it('count instead of those of the table, and none is a choice too', () => {
    const own = { log: ['F9'], settings: [] }
    expect(table(own).commandOf(press('F9'))?.id).toBe('log')
    expect(table(own).commandOf(press('l', { altKey: true }))).toBeUndefined()
    expect(table(own).commandOf(press(',', { ctrlKey: true }))).toBeUndefined()
    expect(table(own).keysOfId('log')).toEqual(['F9'])
    expect(table().keysOf(command('log'))).toEqual(['Alt+L'])
  })
  it('do not reach keys that a pane handles itself', () => {
    expect(table({ rename: ['F9'] }).keysOf(command('rename'))).toEqual(['F2'])
  })
  it('name what they would be taken from, but not across live and replay', () => {
    expect(table().conflictOf('Alt+L', command('settings'))?.id).toBe('log')
    expect(table().conflictOf('Alt+L', command('log'))).toBeUndefined()
    expect(table().conflictOf('F2', command('settings'))?.id).toBe('rename')
    expect(table().conflictOf('Space', command('replay-play'))).toBeUndefined()
    expect(table().conflictOf('Space', command('settings'))).toBeDefined()
    expect(table({ log: ['F9'] }).conflictOf('Alt+L', command('settings'))).toBeUndefined()
  })
  it('are saved only if they differ from the table', () => {
    const own = withKeys({}, command('log'), ['F9'])
    expect(own).toEqual({ log: ['F9'] })
    expect(withKeys(own, command('log'), ['Alt+L'])).toEqual({})
    expect(withKeys(own, command('settings'), [])).toEqual({ log: ['F9'], settings: [] })
    expect(withoutOwn(own, command('log'))).toEqual({})
  })
})
