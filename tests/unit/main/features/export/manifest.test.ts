/** What an export's manifest says of its range. */
import { expect, it } from 'vitest'
import { manifestText } from '../../../../../src/main/features/export/manifest.ts'

const MS = 1_767_610_200_123

it.each([
  [0, '2026-01-05T10:50:00.123Z'],
  [0.456, '2026-01-05T10:50:00.123456Z'],
  [0.0002, '2026-01-05T10:50:00.123Z'],
  // Closer to the next millisecond than a microsecond.
  [0.9998, '2026-01-05T10:50:00.124Z'],
])('names a range that begins %d ms after a millisecond %s', (fraction, text) => {
  const manifest = manifestText({
    schema: 'tapedeck/ticks/2',
    columns: [],
    feed: 'crypto/XT',
    chosen: { source: 'demo', sessions: [], overlaps: [] },
    sessions: [],
    fromMs: MS + fraction,
    toMs: null,
    rows: 0,
    sha256: '',
    gaps: [],
    ledgerHead: null,
  })
  expect(JSON.parse(manifest)).toMatchObject({ from: text, to: null })
})
