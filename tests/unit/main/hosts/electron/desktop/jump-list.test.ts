import { describe, expect, it } from 'vitest'
import { parseLink, type Ask } from '../../../../../../src/shared/features/desktop/requests.ts'
import { dockMenu, userTasks } from '../../../../../../src/main/hosts/electron/desktop/jump-list.ts'

describe('what the system offers beside the icon', () => {
  it('are words that the app understands when it is started with them', () => {
    const tasks = userTasks('C:\\Tapedeck\\Tapedeck.exe')
    expect(tasks.map(({ arguments: words }) => words)).toContain('--safe-mode')
    for (const { arguments: words, program, title } of tasks) {
      expect(words.startsWith('--') || parseLink(words) !== null, words).toBe(true)
      expect(program).toBe('C:\\Tapedeck\\Tapedeck.exe')
      expect(title).not.toBe('')
    }
  })

  it('asks the window that runs, from the dock', () => {
    const asked: Ask[] = []
    for (const { click } of dockMenu((ask) => asked.push(ask))) click()
    expect(asked).toEqual([
      { do: 'command', id: 'sessions' },
      { do: 'command', id: 'settings' },
    ])
  })
})
