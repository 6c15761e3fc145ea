/** Gaps that a chart of the live market shows, from the store and from the feeds. */
import { mkdirSync, rmdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStream } from '../../../../../src/main/rpc/dispatch.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import type { BarsValue } from '../../../../../src/shared/core/views/contract.ts'
import type { StreamName } from '../../../../../src/shared/contracts.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeOf } from '../../../../kit/market.ts'
import { startMemoryTerminal, type MemoryTerminal } from '../../../../kit/terminal.ts'
import { START_MS } from '../../../../kit/terminal-messages.ts'

const instrument = instrumentId('crypto', 'BTC-USD')
const CHARTS = [
  ['bars', { view: 'live', instrument, of: 'trade', interval: '1m', fromMs: null }],
  ['eventBars', { view: 'live', instrument, rule: { kind: 'tick', size: 100 } }],
] as const
let memory: MemoryTerminal | undefined
let folder: ReturnType<typeof makeStoreFolder>
const closing: (() => void)[] = []
beforeEach(() => (folder = makeStoreFolder()))
afterEach(async () => {
  for (const close of closing.splice(0)) close()
  await memory?.close()
  memory = undefined
  folder.remove()
})

async function start(): Promise<MemoryTerminal> {
  memory = await startMemoryTerminal(folder.path)
  await memory.controls.want('crypto/XT', ['BTC-USD'])
  return memory
}

/** Opens the stream of a chart. Resolves, once it has told its gaps, to a function that returns those it shows now. */
async function openChart(name: StreamName, args: unknown): Promise<() => readonly string[]> {
  let gaps: BarsValue['gaps'] = null
  const take = (): void => {
    const value = opened.ok ? (opened.value.take() as BarsValue | undefined) : undefined // a stream of bars
    gaps = value?.gaps ?? gaps
  }
  const opened = openStream(memory!.terminal.handlers, name, args, () => setImmediate(take))
  if (!opened.ok) throw new Error(opened.error.message)
  closing.push(() => opened.value.close())
  take()
  await vi.waitFor(async () => {
    await memory!.controls.pass(100) // what is being written is committed
    expect(gaps).not.toBeNull()
  })
  return () =>
    (gaps ?? []).map(
      ({ cause, fromMs, toMs }) => `${cause} ${fromMs - START_MS} to ${toMs === null ? 'now' : toMs - START_MS}`,
    )
}

describe.each(CHARTS)('the gaps of %s', (name, args) => {
  it('end where recording began again, on a chart that was opened while it was stopped', async () => {
    const { terminal, controls } = await start()
    await controls.send([tradeOf('BTC-USD', 100, 1, START_MS)])
    await controls.pass(5_000)
    await terminal.setRecording(false)
    await controls.pass(5_000)
    const shown = await openChart(name, args)
    expect(shown()).toContainEqual(expect.stringMatching(/^quit .* to now$/))
    await terminal.setRecording(true)
    await controls.pass(2_000)
    await controls.send([tradeOf('BTC-USD', 101, 1, START_MS + 12_000)])
    await vi.waitFor(() => expect(shown()).toContainEqual(expect.stringMatching(/^quit .* to \d+$/)))
    expect(shown()).not.toContainEqual(expect.stringMatching(/to now$/))
  })

  it('include the time in which the store couldn’t be opened', async () => {
    const store = `${folder.path}/tapedeck.db`
    mkdirSync(store)
    const { terminal, controls } = await start()
    expect(terminal.status().recorder.is).toBe('broken')
    const early = await openChart(name, args)
    rmdirSync(store)
    await controls.pass(5_000)
    await terminal.setRecording(true)
    expect(terminal.status().recorder.is).toBe('recording')
    await controls.send([tradeOf('BTC-USD', 101, 1, START_MS + 12_000)])
    const late = await openChart(name, args)
    const unstored = expect.stringMatching(/^disk 0 to 5\d+$/)
    expect(late()).toContainEqual(unstored)
    await vi.waitFor(() => expect(early()).toContainEqual(unstored))
  })
})
