/** Drawings as a feature: the demo market's and a service's, which never mix. */
import { drawingSettings } from '../../../shared/features/drawings/settings.ts'
import { join } from 'node:path'
import { DRAWING_CALLS, DRAWING_STREAMS } from '../../../shared/features/drawings/contract.ts'
import type { DrawingMarket } from '../../../shared/features/drawings/types.ts'
import { log } from '../../core/log/feature.ts'
import { respond, stream, type Responder } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createDrawings } from './drawings.ts'
import { drawingsFolder } from './drawings-file.ts'
import type { Drawings, MarketDrawings } from './port.ts'
import { drawingStreams } from './streams.ts'

/** The calls and streams of drawings; each names its market. */
export const drawingResponders = (service: MarketDrawings): readonly Responder[] => [
  ...respond(DRAWING_CALLS, {
    'drawings.get': ({ market, instrument }) => service[market].get(instrument),
    'drawings.edit': ({ market, instrument, edit }) => service[market].edit(instrument, edit),
  }),
  ...stream(DRAWING_STREAMS, { drawings: drawingStreams(service) }),
]

export const drawings = defineFeature({
  name: 'drawings',
  needs: { log },
  settings: [drawingSettings],
  start({ log }, { dataDir }) {
    const folder = join(dataDir, 'drawings')
    const problem = (text: string, detail?: string): void => log.add('warn', 'drawings', text, detail)
    const drawingsOf = (market: DrawingMarket): Drawings =>
      createDrawings({ files: drawingsFolder(folder, market), market, problem })
    const service: MarketDrawings = { demo: drawingsOf('demo'), service: drawingsOf('service') }
    return { service, responders: drawingResponders(service) }
  },
})
