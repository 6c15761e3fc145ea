/** Imports. */
export const importing = {
  'import.drop-import': 'Drop to import',
  'import.import': 'Import',
  'import.import-2': 'Import {name}',
  'import.show-sessions': 'Show sessions',
  'import.reading': 'Reading {name}',
  'import.read': '{sent} of {bytes} read',
  'import.cancel': 'Cancel',
  'import.drop-file-here-or': 'Drop a file here, or choose one.',
  'import.session-file-tapedeck-csv':
    'A session file (.tapedeck), CSV or JSON Lines that Tapedeck exported, or any table of ticks as CSV. It becomes a session of its own, marked imported.',
  'import.choose-file': 'Choose a file…',
  'import.messages-there-byte': 'The messages are there to the byte.',
  'import.holds-no-messages-they':
    'It holds no messages: they are written anew in the shape of the feed, and the session says so.',
  'import.problems': 'Problems',
  'import.line-left-out': 'Line {line} is left out: ',
  'import.rows': 'Rows are of',
  'import.zone-times': 'Zone of its times',
  'import.symbol': 'Symbol',
  'import.btc-usd': 'BTC-USD',
  'import.first-rows': 'First rows',
  'import.what-holds': 'What {column} holds',
  'import.not-read': 'Not read',
} as const
