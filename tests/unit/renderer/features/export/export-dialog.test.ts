import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import ExportDialog from '../../../../../src/renderer/features/export/ExportDialog.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import type { SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import type { ExportEstimate } from '../../../../../src/shared/features/export/export.ts'
import { makeSession } from '../../../../kit/market.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow } from '../../open-window.ts'

const ESTIMATE: ExportEstimate = { rows: 12, bytes: 500, files: 1, exists: false, freeBytes: null }
const [FIRST, SECOND] = ['first', 'second'].map((id) => makeSession(id))

let app: WindowState
let sessions: PromiseWithResolvers<readonly SessionRow[]>
let transport: TestTransport
/** Estimates that were asked for and not answered yet, oldest first. */
let estimates: PromiseWithResolvers<ExportEstimate>[]
beforeEach(() => {
  vi.useFakeTimers()
  sessions = Promise.withResolvers()
  estimates = []
  transport = new TestTransport()
    .answer('sessions.list', () => sessions.promise)
    .answer('export.defaults', () => ({ folder: '/home/user', canChoose: false }))
    .answer('export.estimate', () => {
      const estimate = Promise.withResolvers<ExportEstimate>()
      estimates.push(estimate)
      return estimate.promise
    })
    .answer('export.start', () => {
      throw new CodedError('usage', 'That name is taken.')
    })
  app = openWindow(transport)
  app.exchange.prefill = { sessions: [SECOND.session] }
  render(ExportDialog, { app, onclose: () => undefined })
})
afterEach(() => {
  cleanup()
  app.close()
  vi.useRealTimers()
})

/** Also runs what waits for the wait before an estimate. */
const settle = async () => {
  await vi.advanceTimersByTimeAsync(300)
  await tick()
}
const button = (): HTMLButtonElement => screen.getByRole('button', { name: 'Export' })
const submit = () => fireEvent.submit(button().form!)
const startCalls = () => transport.calls.filter(({ name }) => name === 'export.start')

it('starts only once the sessions are known: until then, a request for one would be for all of them', async () => {
  await settle()
  expect(button().disabled).toBe(true)
  await submit()
  expect(startCalls()).toEqual([])
  sessions.resolve([FIRST, SECOND])
  await settle()
  expect(button().disabled).toBe(false)
  await submit()
  expect(startCalls()).toMatchObject([{ args: { request: { sessions: [SECOND.session], source: null } } }])
})

it('keeps saying why an export was refused when an estimate arrives later', async () => {
  sessions.resolve([FIRST, SECOND])
  await settle()
  await submit()
  await settle()
  expect(screen.getByText(/That name is taken/)).toBeTruthy()
  estimates.at(-1)?.resolve(ESTIMATE)
  await settle()
  expect(screen.getByText(/That name is taken/)).toBeTruthy()
  await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'other.csv' } })
  await settle()
  expect(screen.queryByText(/That name is taken/)).toBeNull()
})

it('says why the sessions couldn’t be listed', async () => {
  sessions.reject(new CodedError('disk-error', 'The store can’t be read.'))
  await settle()
  expect(screen.getByText(/The store can’t be read/)).toBeTruthy()
  expect(button().disabled).toBe(true)
})

it('says that nothing is recorded yet, and exports nothing', async () => {
  sessions.resolve([])
  await settle()
  expect(screen.getByText('Nothing is recorded yet.')).toBeTruthy()
  expect(button().disabled).toBe(true)
  await submit()
  expect(startCalls()).toEqual([])
})
