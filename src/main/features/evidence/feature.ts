/** The evidence feature: verification, coverage, agreement, and the messages behind a displayed value. */
import type { Span } from '../../../shared/base/spans.ts'
import { EVIDENCE_CALLS } from '../../../shared/features/evidence/contract.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { store } from '../../core/store/feature.ts'
import { SidedTrades } from '../../core/market/flow/sided-trades.ts'
import { views } from '../../core/views/feature.ts'
import { recordedView } from '../../core/views/view-sessions.ts'
import { market } from '../../core/views/market-feature.ts'
import { respond } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createEvidence } from './evidence.ts'

export const evidence = defineFeature({
  name: 'evidence',
  needs: { store, jobs, market, views },
  start({ store: { reader, openReader }, jobs, market, views }) {
    const service = createEvidence({
      reader,
      openReader,
      jobs,
      decimals: (id) => market.hub.cell(id).decimals,
      async view(name) {
        const view = views.get(name)
        if (view.live) await market.settled()
        const { hub, history } = view
        return {
          ...recordedView(view),
          sided: (range, settled) =>
            new Promise<readonly Span[]>((ready) => void new SidedTrades(hub, history, range, { settled, ready })),
        }
      },
    })
    return {
      service,
      responders: respond(EVIDENCE_CALLS, {
        'evidence.verify': ({ session }) => service.verify(session),
        'evidence.coverage': (args) => service.coverage(args),
        'evidence.agreement': (args) => service.agreement(args),
        'evidence.agree': (args) => service.agree(args),
        'evidence.seconds': (args) => service.seconds(args),
        'evidence.messages': (args) => service.messages(args),
      }),
    }
  },
})
