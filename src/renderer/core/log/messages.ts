/** The log. */
export const log = {
  'log.least-level-shown': 'Minimum level',
  'log.up': '{one} and above',
  'log.filter': 'Filter',
  'log.filter-log': 'Filter log',
  'log.copy-these-lines': 'Copy these lines',
  'log.no-line-matches': 'No matching lines',
  'log.nothing-has-happened-yet': 'No log lines yet',
  'log.connections-recording-trouble-told':
    'Connections, recording, and problems appear here in the order they happen.',
  'log.log': 'Log',
  'log.clipboard-did-not-take': 'Couldn’t copy the log. Click the window, then try again.',
  'log.level.debug': 'debug',
  'log.level.info': 'info',
  'log.level.warn': 'warn',
  'log.level.error': 'error',
  'log.line-count': { one: '{amount} line', other: '{amount} lines' },
  'log.dropped-count': '{dropped} dropped',
  'log.clear-filter': 'Clear filter',
  'log.lines-copied': { one: '{count} line copied.', other: '{count} lines copied.' },
  'log.filter-hides-all-lines': {
    one: 'The filter hides the only line.',
    other: 'The filter hides all {count} lines.',
  },
} as const
