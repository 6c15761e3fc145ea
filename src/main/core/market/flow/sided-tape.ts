/** The tape with the sides of its prints: they follow once settled. */
import type { PrintSide, TapeValue } from '../../../../shared/core/views/contract.ts'
import { unixMs, type InstrumentId } from '../../../../shared/base/units.ts'
import type { StreamSource } from '../../../../shared/rpc/transport.ts'
import type { Hub } from '../hub-types.ts'
import type { FlowHistory } from './flow-follower.ts'
import { SidedTrades } from './sided-trades.ts'
import { tapeStream, type StreamHistory } from '../streams.ts'

/** Prints of one instrument as `tapeStream` gives them, and the sides of those. `wallMs`: the view's clock, UTC ms. */
export function sidedTapeStream(
  hub: Hub,
  history: StreamHistory & FlowHistory,
  args: { readonly instrument: InstrumentId; readonly limit: number },
  wallMs: () => number,
  wake: () => void,
): StreamSource<TapeValue> {
  const tape = tapeStream(hub, history, args, wake)
  let sides: PrintSide[] = []
  let sided: SidedTrades | null = null
  const follow = (fromMs: number): void => {
    sided?.close()
    sides = []
    const range = { instrument: args.instrument, fromMs }
    sided = new SidedTrades(hub, history, range, {
      settled({ seq, recvMs, price }, side) {
        if (sides.length === 0) wake()
        sides.push({ seq, recvMs: unixMs(recvMs), price, ...side })
        // A window that takes nothing forgets them as it does prints.
        if (sides.length > args.limit * 2) sides = sides.slice(-args.limit)
      },
    })
  }
  // Sides from before a seek may have been settled by quotes that come later than its clock.
  const offReset = hub.onReset(() => {
    sided?.close()
    sided = null
    sides = []
  })
  return {
    take() {
      const value = tape.take()
      if (value?.reset) follow(value.reset.at(0)?.recvMs ?? wallMs())
      if (value === undefined && sides.length === 0) return undefined
      const settled = sides
      sides = []
      const { decimals } = hub.cell(args.instrument)
      return {
        ...(value ?? { reset: null, prints: [], skipped: 0, decimals }),
        sides: settled,
        ...(sided === null ? {} : { meter: sided.meter }),
      }
    },
    close() {
      offReset()
      tape.close()
      sided?.close()
    },
  }
}
