import '../../browser-stubs.ts'
import { cleanup, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, expect, it } from 'vitest'
import { tape } from '../../../../../src/renderer/features/tape/feature.ts'
import TapeEmpty from '../../../../../src/renderer/features/tape/TapeEmpty.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { replayState } from '../../../../kit/replay-state.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow, render, serviceOf } from '../../open-window.ts'

let app: WindowState
afterEach(() => {
  cleanup()
  app.close()
})

it('says that nothing follows only at the end of a session that is no longer recorded', async () => {
  app = openWindow(new TestTransport())
  const shown = serviceOf(app, tape)
  shown.ready = true
  const atEnd = { nowMs: unixMs(10_000) }
  app.replaying = replayState({ ...atEnd, growing: true })
  render(TapeEmpty, { app, tape: shown, minSize: 0 })
  expect(screen.getByText('No prints up to this point')).toBeTruthy()
  // It would start over.
  expect(screen.queryByRole('button', { name: 'Play' })).toBeNull()
  app.replaying = replayState(atEnd)
  await tick()
  expect(screen.getByText('No prints in this replay')).toBeTruthy()
})

it('says at once that a replay has nothing of the symbol, and asks no more while it plays', async () => {
  const transport = new TestTransport().answer('replay.lacks', () => true)
  app = openWindow(transport)
  const shown = serviceOf(app, tape)
  shown.ready = true
  app.replaying = replayState()
  render(TapeEmpty, { app, tape: shown, minSize: 0 })
  expect(await screen.findByText('Nothing of this symbol was recorded in it.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Play' })).toBeNull()
  for (const nowMs of [1_000, 2_000]) {
    app.replaying = replayState({ nowMs: unixMs(nowMs) })
    await tick()
    expect(screen.getByText('Nothing of this symbol was recorded in it.')).toBeTruthy()
  }
  expect(transport.calls.filter(({ name }) => name === 'replay.lacks')).toHaveLength(1)
})
