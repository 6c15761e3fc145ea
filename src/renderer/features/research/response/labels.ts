/** Labels of the research panes. */
import { labelsOf } from '../../../../shared/base/text.ts'

export const researchLabel = labelsOf({
  'research.changed': { one: '{amount} changed', other: '{amount} changed' },
  'research.added': { one: '{amount} added', other: '{amount} added' },
  'research.removed': { one: '{amount} removed', other: '{amount} removed' },
  'research.copy-csv': 'Copy as CSV',
  'research.save-csv': 'Save as CSV',
  'research.copy-raw': 'Copy raw data',
  'research.save-raw': 'Save raw data',
})
