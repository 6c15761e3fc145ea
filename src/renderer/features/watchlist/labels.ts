/** Labels of flags. */
import { labelsOf } from '../../../shared/base/text.ts'
import type { Flag } from '../../../shared/core/settings/settings.ts'

export const flagLabel = labelsOf({
  'flag.red': 'red flag',
  'flag.amber': 'amber flag',
  'flag.green': 'green flag',
  'flag.blue': 'blue flag',
  'flag.violet': 'violet flag',
} satisfies Readonly<Record<`flag.${Flag}`, string>>)
