/** The log. */
export const log = {
  'log.least-level-shown': 'Least level shown',
  'log.up': '{one} and up',
  'log.filter': 'Filter',
  'log.filter-log': 'Filter the log',
  'log.copy-these-lines': 'Copy these lines',
  'log.no-line-matches': 'No line matches',
  'log.nothing-has-happened-yet': 'Nothing has happened yet',
  'log.connections-recording-trouble-told':
    'Connections, recording and trouble are told here, in the order they happen.',
  'log.log': 'Log',
  'log.clipboard-did-not-take': 'The clipboard did not take the log. Click into the window, then copy again.',
  'log.level.debug': 'debug',
  'log.level.info': 'info',
  'log.level.warn': 'warn',
  'log.level.error': 'error',
  'log.line-count': { one: '{amount} line', other: '{amount} lines' },
  'log.dropped-count': '{dropped} dropped',
  'log.clear-filter': 'Clear the filter',
  'log.lines-copied': { one: '{count} line copied.', other: '{count} lines copied.' },
  'log.filter-hides-all-lines': {
    one: 'The filter hides the only line.',
    other: 'The filter hides all {count} lines.',
  },
} as const
