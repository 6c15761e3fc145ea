// Notes as a file, and reviews as Markdown.
import { describe, expect, it } from 'vitest'
import { readJournal, writeJournal } from '../../../../../src/shared/features/journal/document.ts'
import { reviewMarkdown } from '../../../../../src/shared/features/journal/markdown.ts'
import { isKnownAt, isWithin, tagsIn, type Note } from '../../../../../src/shared/features/journal/note.ts'
import { lengthText, type Review } from '../../../../../src/shared/features/journal/review.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'

const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  source: 'demo',
  instrument: instrumentId('crypto', 'BTCUSD'),
  fromMs: 1_000,
  toMs: null,
  text: 'late',
  tags: ['fomo'],
  pictures: [],
  createdMs: 5_000,
  changedMs: 5_000,
  ...more,
})

describe('the file of the journal', () => {
  it('keeps every note, and orders them by their time', () => {
    const notes = [note('b', { fromMs: 2_000, toMs: 3_000, instrument: null }), note('a')]
    expect(readJournal(writeJournal(notes))).toEqual({ is: 'read', notes: [notes[1], notes[0]], corrupt: 0 })
  })
  it.each([
    ['text', 'no JSON', { is: 'garbage' }],
    ['a file of something else', '{"drawings":[]}', { is: 'garbage' }],
    ['no list', '{"version":1,"notes":{}}', { is: 'garbage' }],
    ['a newer version', '{"version":2,"notes":[]}', { is: 'newer' }],
  ])('is refused if it is %s', (_name, text, read) => {
    expect(readJournal(text)).toEqual(read)
  })
  it('skips a note that can’t be read, and counts it', () => {
    const text = JSON.stringify({
      version: 1,
      notes: [note('a'), { ...note('b'), fromMs: 'now' }, note('a'), note('c', { fromMs: 5, toMs: 5 })],
    })
    expect(readJournal(text)).toEqual({ is: 'read', notes: [note('a')], corrupt: 3 })
  })
})

describe('a note', () => {
  it('is known in a replay only from the time it is pinned to, or the end of its range', () => {
    expect([999, 1_000].map((now) => isKnownAt(note('a'), now))).toEqual([false, true])
    const range = note('a', { toMs: 2_000 })
    expect([1_999, 2_000].map((now) => isKnownAt(range, now))).toEqual([false, true])
  })
  it.each([
    [0, 1_000, false],
    [0, 1_001, true],
    [1_500, 1_600, true],
    [2_000, 9_000, true],
    [2_001, 9_000, false],
  ])('of a range from 1000 to 2000 touches [%i, %i): %s', (from, to, touches) => {
    expect(isWithin(note('a', { toMs: 2_000 }), from, to)).toBe(touches)
  })
  it('has the tags of its text, each once', () => {
    expect(tagsIn('#fomo again, #late-entry and #fomo; no#tag, C# 9')).toEqual(['fomo', 'late-entry'])
  })
})

const review: Review = {
  source: 'demo',
  fromMs: 0,
  toMs: 3_600_000,
  sessions: ['01k'],
  messages: 12_345,
  messagesEstimated: true,
  instruments: 2,
  barMs: 60_000,
  moves: [
    {
      instrument: instrumentId('crypto', 'BTCUSD'),
      symbol: 'BTC-USD',
      of: 'trade',
      first: 64_100,
      last: 62_177,
      change: -0.03,
      high: 64_741,
      low: 61_536,
      highMs: 60_000,
      lowMs: 120_000,
      burst: -0.02,
      burstMs: 180_000,
      incomplete: true,
    },
  ],
  gaps: [{ feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: 1_000, toMs: 5_000 }],
  gapCount: 3,
  gapMs: 90_000,
  outsideMs: 0,
  corrupt: [],
  alerts: [
    {
      atMs: 7_000,
      instrument: instrumentId('crypto', 'BTCUSD'),
      text: 'price falls below 97 | or so',
      note: '',
      value: '96.9',
    },
  ],
  alertCount: 4,
  alertsProblem: null,
  notes: [note('a', { pictures: ['f.png'], text: 'Sold too early.\n\nAgain.' })],
}

describe('a review as Markdown', () => {
  const text = reviewMarkdown(review, {
    time: (ms) => `${ms / 1_000}s`,
    zone: 'UTC',
    picture: (file) => `pictures/${file}`,
  })
  it.each([
    [{ gapCount: 0, gaps: [], outsideMs: 0 }, 'None, apart from connecting and closing.'],
    [{ gapCount: 0, gaps: [], outsideMs: 0, sessions: [] }, 'No session of this review covers this time.'],
    [
      { gapCount: 0, gaps: [], outsideMs: 7_200_000 },
      'None within the sessions, apart from connecting and closing.\n\n2 h of this time is in no session of this review.',
    ],
    [{ outsideMs: 7_200_000 }, '2 h of this time is in no session of this review.'],
  ])('says of %o how much time no session has', (more, sentence) => {
    const format = { time: String, zone: 'UTC', picture: null }
    expect(reviewMarkdown({ ...review, ...more }, format)).toContain(`${sentence}\n\n## Alerts`)
  })
  it('names what couldn’t be read, also where that was everything', () => {
    const corrupt = [{ symbol: 'BTC-USD', feed: 'crypto/XT', fromMs: 1, toMs: 9 }] as const
    const sentence =
      'Corrupt stored messages are left out: BTC-USD (crypto/XT) 1 to 9. Run Verify in the Evidence pane.'
    const format = { time: String, zone: 'UTC', picture: null }
    expect(reviewMarkdown({ ...review, corrupt }, format)).toContain(sentence)
    expect(reviewMarkdown({ ...review, corrupt, moves: [] }, format)).toContain(`moves\n\n${sentence}`)
  })
  it('has a section for each part, with what is left out counted', () => {
    expect(text.split('\n').filter((line) => /^#+ /.test(line))).toEqual([
      '# Review, 0s to 3600s (UTC)',
      '## Largest moves',
      '## Gaps',
      '## Alerts',
      '## Notes',
      '### 1s, BTC-USD',
    ])
    expect(text).toContain(
      '| BTC-USD △ | -3.00 % | 64,100.00 → 62,177.00 | 64,741.00 at 60s | 61,536.00 at 120s | -2.00 % from 180s |',
    )
    expect(text).toContain('| 1s | 4 s | crypto/XT | drop | all symbols |')
    expect(text).toContain('The longest 1 of 3 are shown.')
    expect(text).toContain('1 instrument of 2 are shown.')
    expect(text).toContain('The last 1 of 4 are shown.')
    expect(text).toContain('Sold too early.\n\nAgain.\n\n#fomo\n\n![Screenshot](pictures/f.png)')
  })
  it('keeps a table whole whatever a text contains', () => {
    expect(text).toContain('| 7s | BTC-USD | price falls below 97 \\| or so | 96.9 |  |')
  })
  it('says what its marks and times mean, and groups what it counts', () => {
    expect(text).toContain('about 12,345 stored messages')
    expect(text).toContain('Times of highs, lows and moves are the starts of bars of 1 min.')
    expect(text).toContain('△ Part of the time wasn’t received: a gap, or the time before')
    const whole = { ...review, moves: [{ ...review.moves[0], incomplete: false }] }
    expect(reviewMarkdown(whole, { time: String, zone: 'UTC', picture: null })).not.toContain('△')
  })
  it('names an instrument that didn’t move as the window does, else by its key', () => {
    const still = { ...review, moves: [], instruments: 0 }
    const format = { time: String, zone: 'UTC', picture: null }
    expect(reviewMarkdown(still, format)).toContain('| BTCUSD | price')
    expect(reviewMarkdown(still, { ...format, symbol: () => 'BTC-USD' })).toContain('| BTC-USD | price')
  })
  it('says which sections are empty', () => {
    const empty = { ...review, moves: [], instruments: 0, gaps: [], gapCount: 0, alerts: [], alertCount: 0, notes: [] }
    const said = reviewMarkdown(empty, { time: String, zone: 'UTC', picture: null })
    expect(said).toContain('No prices were recorded.')
    expect(said).toContain('None, apart from connecting and closing.')
    expect(said).toContain('None fired.')
    expect(said).toContain('- No gaps, apart from connecting and closing')
  })
  it('marks mids, and says why alerts may be missing', () => {
    const moves = [{ ...review.moves[0], of: 'mid' as const }]
    const alertsProblem = 'The history of alerts couldn’t be read.'
    const said = (more: Partial<Review>) =>
      reviewMarkdown({ ...review, moves, alertsProblem, ...more }, { time: String, zone: 'UTC', picture: null })
    expect(said({})).toContain('| BTC-USD (mid) △ |')
    expect(said({})).toContain('(mid) Midpoint of bid and ask: no trades were recorded.')
    const missing = 'The history of alerts couldn’t be read. Alerts may be missing here.'
    expect(said({})).toContain(`The last 1 of 4 are shown.\n\n${missing}`)
    expect(said({ alerts: [], alertCount: 0 })).toContain(`## Alerts\n\n${missing}\n`)
  })
  it.each([
    [820, '820 ms'],
    [12_500, '12.5 s'],
    [59_940, '59.9 s'],
    [59_970, '1 min'],
    [119_700, '2 min'],
    [299_600, '5 min'],
    [300_000, '5 min'],
    [3_599_800, '1 h'],
    [270_000, '4 min 30 s'],
    [7_500_000, '2 h 5 min'],
  ])('writes %i ms as %s', (ms, said) => {
    expect(lengthText(ms)).toBe(said)
  })
})
