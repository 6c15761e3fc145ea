/** Long work and its progress. */
export const jobs = {
  'jobs.cancelling': 'Canceling…',
  'jobs.cancel': 'Cancel',
  'jobs.dismiss': 'Dismiss',
  'jobs.cancelled-nothing-was-left': 'Canceled. No partial files were left.',
  'jobs.starting': 'Starting…',
  'jobs.go-on-background': 'Run in background',
  'jobs.close': 'Close',
  'jobs.jobs': 'Jobs',
  'jobs.exports-imports-other-long':
    'Exports, imports, and other long-running work appear here with their progress and result.',
  'jobs.export': 'Export…',
  'jobs.left': '{length} left',
  'jobs.min': '{min} min',
  'jobs.h-min': '{min} h {min2} min',
  'jobs.amount': '{count} {unit}',
  'jobs.rate': '{rate} {unit}/s',
  'jobs.byte-rate': '{rate}/s',
  'jobs.unit.rows': 'rows',
  'jobs.unit.messages': 'messages',
  'jobs.s': '{s} s',
} as const
