/** Labels of the log. */
import { labelsOf } from '../../../shared/base/text.ts'

export const logLabel = labelsOf({
  'log.level.debug': 'debug',
  'log.level.info': 'info',
  'log.level.warn': 'warn',
  'log.level.error': 'error',
})
