/** The account as a feature: which source is used, and the credentials that sign in to it. */
import { ACCOUNT_CALLS, ACCOUNT_STREAMS } from '../../../shared/core/account/contract.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { log } from '../log/feature.ts'
import { settings } from '../settings/feature.ts'
import { createCredentials, type Credentials } from './credentials.ts'
import { credentialsFile } from './credentials-file.ts'
import { startDemoMarket } from './demo-market.ts'
import { createSourceControl, type SourceControl } from './source.ts'

export interface AccountService {
  readonly credentials: Credentials
  readonly source: SourceControl
}

export const account = defineFeature({
  name: 'account',
  needs: { settings, log },
  async start({ settings, log }, host) {
    const { clock } = host
    const streams = wholeStreams(() => credentials.account())
    const file = credentialsFile(host.dataDir)
    const isPortable = host.portable === true && !file.exists()
    const credentials = createCredentials({
      clock,
      file,
      memoryOnly: host.memoryKeychain === true || isPortable || host.account?.password !== undefined,
      onChange: () => streams.changed(),
      known: log.secrets,
    })
    const source = createSourceControl({
      credentials,
      startDemo:
        host.startDemo ??
        (() =>
          startDemoMarket({
            worker: host.workers.simulator,
            dataDir: host.demoData,
            seed: host.demoSeed,
            clock,
            log: (text, detail) => log.add('warn', 'demo market', text, detail),
          })),
    })
    await source.begin(settings.get(), host)
    const service: AccountService = { credentials, source: source }
    return {
      service,
      responders: [
        ...respond(ACCOUNT_CALLS, {
          'account.get': () => credentials.account(),
          'account.test': (input) => credentials.testConnection(input),
        }),
        ...stream(ACCOUNT_STREAMS, { account: (_args, wake) => streams.open(wake) }),
      ],
      close: () => source.close(),
    }
  },
})
