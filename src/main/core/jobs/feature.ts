/** Long-running jobs as a feature: other features start them, windows watch and cancel them. */
import { JOB_CALLS, JOB_STREAMS } from '../../../shared/core/jobs/contract.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createJobs } from './jobs.ts'

export const jobs = defineFeature({
  name: 'jobs',
  needs: {},
  start(_services, { clock }) {
    const service = createJobs(() => clock.wallMs())
    return {
      service,
      responders: [
        ...respond(JOB_CALLS, {
          'jobs.cancel': ({ job }) => service.cancel(job),
          'jobs.dismiss': ({ job }) => service.dismiss(job),
        }),
        ...stream(JOB_STREAMS, { jobs: (_args, wake) => service.streams.open(wake) }),
      ],
      stop: () => service.close(),
    }
  },
})
