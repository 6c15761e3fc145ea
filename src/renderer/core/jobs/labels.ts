/** Titles of jobs by kind. */
import { labelsOf } from '../../../shared/base/text.ts'

export const jobLabel = labelsOf({
  'job.export': 'Export of {title}',
  'job.import': 'Import of {title}',
  'job.package': 'Saving {title}',
  'job.verify': 'Verifying {title}',
  'job.compact': 'Compacting {title}',
  'job.alert': 'Testing the {title}',
  'job.agreement': 'Comparing {title}',
  'job.move': 'Moving {title}',
  'job.fetch': 'Fetching {title}',
})
