/** The streams of drawings. Each sends an instrument's complete list when it changes. */
import type { StreamArgs } from '../../../shared/contracts.ts'
import type { DrawingsState } from '../../../shared/features/drawings/types.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { Drawings, MarketDrawings } from './port.ts'
import { wholeStreams, type WholeStreams } from '../../rpc/state-stream.ts'

export type OpenDrawings = (args: StreamArgs<'drawings'>, wake: () => void) => StreamSource<DrawingsState>

/** Opens streams of drawings for the lifetime of the terminal. */
export function drawingStreams(drawings: MarketDrawings): OpenDrawings {
  const open = { demo: streamsOf(drawings.demo), service: streamsOf(drawings.service) }
  return (args, wake) => open[args.market](args, wake)
}

function streamsOf(drawings: Drawings): OpenDrawings {
  const open = new Map<InstrumentId, WholeStreams<DrawingsState>>()
  drawings.onChange((instrument) => open.get(instrument)?.changed())
  return ({ instrument }, wake) => {
    const streams = open.get(instrument) ?? wholeStreams(() => drawings.get(instrument))
    open.set(instrument, streams)
    const source = streams.open(wake)
    return {
      take: () => source.take(),
      close() {
        source.close()
        if (streams.count === 0) open.delete(instrument)
      },
    }
  }
}
