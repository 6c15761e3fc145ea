/** Labels of flags. */
import { labelsOf } from '../../../shared/base/text.ts'
import type { Flag } from '../../../shared/core/settings/settings.ts'

export const flagLabel = labelsOf({
  'flag.red': 'Red flag',
  'flag.amber': 'Amber flag',
  'flag.green': 'Green flag',
  'flag.blue': 'Blue flag',
  'flag.violet': 'Violet flag',
} satisfies Readonly<Record<`flag.${Flag}`, string>>)
