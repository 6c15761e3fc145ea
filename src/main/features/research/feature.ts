/** The research feature: requests to the service, and the history of its responses. */
import { researchSettings } from '../../../shared/features/research/settings.ts'
import { sourceKey } from '../../../shared/core/recording/session.ts'
import { RESEARCH_CALLS, RESEARCH_STREAMS } from '../../../shared/features/research/contract.ts'
import { account } from '../../core/account/feature.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { views } from '../../core/views/feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createResearch } from './research.ts'

export const research = defineFeature({
  name: 'research',
  needs: { settings, log, account, views },
  settings: [researchSettings],
  start({ settings, log, account: { credentials, source: control }, views }, { clock, dataDir, responsesFile }) {
    const service = createResearch({
      clock,
      dataDir,
      file: responsesFile,
      settings: () => settings.get().research,
      source: () => sourceKey(control.source),
      baseUrl: () => credentials.baseUrl(),
      apiKey: () => credentials.apiKey(),
      token: async () => (await credentials.tokenSource.get()).access,
      instantOf(name) {
        const view = views.get(name)
        return view.live ? null : view.wallMs()
      },
      problem: (text, detail) => log.add('warn', 'research', text, detail),
    })
    return {
      service,
      responders: [
        ...respond(RESEARCH_CALLS, {
          'research.endpoints': () => service.endpoints(),
          'research.get': (args) => service.get(args),
          'research.cancel': ({ ticket }) => service.cancel(ticket),
          'research.versions': (args) => service.versions(args),
          'research.received': (args) => service.received(args),
          'research.version': ({ version }) => service.version(version),
          'research.clear': ({ endpoint }) => service.clear(endpoint),
        }),
        ...stream(RESEARCH_STREAMS, { research: (_args, wake) => service.streams.open(wake) }),
      ],
      close: () => service.close(),
    }
  },
})
