/** The log. */
export const log = {
  'log.least-level-shown': 'Least level shown',
  'log.up': '{one} and up',
  'log.filter': 'Filter',
  'log.filter-log': 'Filter the log',
  'log.dropped': ', {dropped} dropped',
  'log.lines': '{count} lines{what}',
  'log.copy-these-lines': 'Copy these lines',
  'log.no-line-matches': 'No line matches',
  'log.filter-hides-all-lines': 'The filter hides all {count} lines.',
  'log.nothing-has-happened-yet': 'Nothing has happened yet',
  'log.connections-recording-trouble-told':
    'Connections, recording and trouble are told here, in the order they happen.',
  'log.log': 'Log',
  'log.lines-copied': '{count} lines copied.',
  'log.clipboard-did-not-take': 'The clipboard did not take the log. Click into the window, then copy again.',
} as const
