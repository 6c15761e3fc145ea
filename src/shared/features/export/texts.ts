/** What cannot be combined in an export, in English. */
import { phrasesOf } from '../../base/text.ts'

export const EXPORTING_TEXTS = {
  'exporting.no-lines-of-bars': 'JSON Lines contain messages. Choose CSV or Parquet for bars.',
  'exporting.no-extended-ticks': 'Only bars have an end time and a VWAP.',
  'exporting.no-service-bars':
    'The service sends no bars shorter than a second. Build them from trades, bid, ask, or mid.',
  'exporting.no-raw-bars': 'Bars have no raw message. Leave out the raw column.',
  'exporting.csv-only': 'A byte order mark and a separator apply to CSV only.',
  'exporting.tsv-needs-tabs':
    'A .tsv file is separated by tabs. Choose CSV with Tab as the separator, or another file name.',
  'exporting.range-turned': 'The range ends before it starts.',
} as const

export const exportPhrase = phrasesOf(EXPORTING_TEXTS)
