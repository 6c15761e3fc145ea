import { expect, test, vi } from 'vitest'
import { createHostBridge } from '../../../../../src/main/features/desktop/host-bridge.ts'

test('what is asked before a window is there waits for the first', () => {
  const desk = createHostBridge()
  desk.ask({ do: 'command', id: 'sessions' })
  const first = desk.streams(() => undefined)
  expect(first.take()).toEqual([{ id: 1, ask: { do: 'command', id: 'sessions' } }])
  expect(first.take()).toBeUndefined()
})

test('of several windows only the oldest is asked, and each thing once', () => {
  const desk = createHostBridge()
  const wakes = [vi.fn(), vi.fn()]
  const windows = wakes.map((wake) => desk.streams(wake))
  expect(windows.map((window) => window.take())).toEqual([[], []])
  desk.ask({ do: 'command', id: 'log' })
  expect(wakes[0]).toHaveBeenCalledTimes(1)
  expect(wakes[1]).not.toHaveBeenCalled()
  expect(windows[1].take()).toBeUndefined()
  expect(windows[0].take()).toHaveLength(1)
})

test('what a window left unanswered is the next one’s', () => {
  const desk = createHostBridge()
  const [first, second] = [desk.streams(() => undefined), desk.streams(() => undefined)]
  desk.ask({ do: 'command', id: 'log' })
  first.close()
  first.close()
  expect(second.take()).toEqual([{ id: 1, ask: { do: 'command', id: 'log' } }])
})

test('only the newest twenty are stored', () => {
  const desk = createHostBridge()
  for (let n = 0; n < 50; n++) desk.ask({ do: 'command', id: `c${n}` })
  const asked = desk.streams(() => undefined).take()
  expect(asked).toHaveLength(20)
  expect(asked?.at(-1)).toEqual({ id: 50, ask: { do: 'command', id: 'c49' } })
})

test('a menu command reaches every listener', () => {
  const desk = createHostBridge()
  const heard = vi.fn()
  desk.onMenu(heard)
  desk.setMenu([{ id: 'log', title: 'Log', group: 'General', keys: null }])
  expect(heard).toHaveBeenCalledWith([{ id: 'log', title: 'Log', group: 'General', keys: null }])
})
