/** Long work and its progress. */
export const jobs = {
  'jobs.cancelling': 'Cancelling',
  'jobs.cancel': 'Cancel',
  'jobs.dismiss': 'Dismiss',
  'jobs.cancelled-nothing-was-left': 'Cancelled; nothing was left behind.',
  'jobs.starting': 'Starting…',
  'jobs.go-on-background': 'Go on in the background',
  'jobs.close': 'Close',
  'jobs.jobs': 'Jobs',
  'jobs.exports-imports-other-long': 'Exports, imports and other long work show here while they run and when they end.',
  'jobs.export': 'Export…',
  'jobs.left': '{length} left',
  'jobs.min': '{min} min',
  'jobs.h-min': '{min} h {min2} min',
} as const
