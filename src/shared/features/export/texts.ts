/** What cannot be combined in an export, in English. */
export const EXPORTING_TEXTS = {
  'exporting.no-lines-of-bars': 'JSON Lines hold messages: choose CSV or Parquet for bars.',
  'exporting.no-extended-ticks': 'Only bars have an end time and a VWAP.',
  'exporting.no-service-bars':
    'The service sends no bars shorter than a second: build them from trades, bid, ask or mid.',
  'exporting.no-raw-bars': 'Bars have no message of their own: leave out the raw column.',
  'exporting.csv-only': 'A byte order mark and a separator are for CSV only.',
  'exporting.tsv-needs-tabs':
    'A .tsv file is separated by tabs: choose CSV with Tab as the separator, or another name.',
  'exporting.range-turned': 'The range ends before it begins.',
} as const
