// The journal on disk: nothing is lost, nothing of a newer version is overwritten.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LockBusyError, withFileLock } from '../../../../../src/main/base/file-lock.ts'
import { journalFiles } from '../../../../../src/main/features/journal/journal-files.ts'
import { openJournal } from '../../../../../src/main/features/journal/journal.ts'
import { moveOf } from '../../../../../src/main/features/journal/review.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import type { Note, NoteDraft } from '../../../../../src/shared/features/journal/note.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const draft = (fromMs: number, more: Partial<NoteDraft> = {}): NoteDraft => ({
  instrument: null,
  fromMs,
  toMs: null,
  text: `at ${fromMs}`,
  tags: [],
  pictures: [],
  ...more,
})
/** Counts over all journals of the file, because an id is unique over all terminals of a folder. */
let ids = 0
const open = (folder: string, files = journalFiles(folder)) => {
  const problems: string[] = []
  const journal = openJournal({
    files,
    newId: () => `n${++ids}`,
    wallMs: () => 9_000,
    problem: (text) => problems.push(text),
  })
  return { journal, problems, files }
}
const PNG = Buffer.from('89504e470d0a1a0a00', 'hex')

describe('the journal', () => {
  it('keeps notes of each source apart, ordered by time, also after a restart', () => {
    const folder = makeFolder()
    const { journal } = open(folder)
    const late = journal.put('demo', null, draft(2_000))
    const early = journal.put('demo', null, draft(1_000))
    journal.put('service:me@https://x', null, draft(1_500))
    expect(journal.of('demo')).toEqual([early, late])
    expect(open(folder).journal.of('demo')).toEqual([early, late])
  })
  it('changes a note in place, and restores removed ones unchanged', () => {
    const { journal } = open(makeFolder())
    const one = journal.put('demo', null, draft(1_000))
    const changed = journal.put('demo', one.id, draft(1_000, { text: 'better' }))
    expect(changed).toEqual({ ...one, text: 'better', changedMs: 9_000 })
    const removed = journal.remove([one.id, 'unknown'])
    expect(journal.of('demo')).toEqual([])
    journal.restore(removed)
    journal.restore(removed)
    expect(journal.of('demo')).toEqual([changed])
    expect(() => journal.put('demo', 'unknown', draft(1))).toThrow(/removed in the meantime/)
  })
  it('tells of each change', () => {
    const { journal } = open(makeFolder())
    let told = 0
    const stop = journal.onChange(() => told++)
    journal.put('demo', null, draft(1))
    stop()
    journal.put('demo', null, draft(2))
    expect([told, journal.revision]).toEqual([1, 2])
  })
  it('never overwrites a file of a newer version', () => {
    const folder = makeFolder()
    const text = '{"version":2,"notes":["what it can"]}'
    writeFileSync(join(folder, 'notes.json'), text)
    const { journal } = open(folder)
    expect(() => journal.put('demo', null, draft(1))).toThrow(/newer Tapedeck/)
    expect(readFileSync(join(folder, 'notes.json'), 'utf8')).toBe(text)
  })
  it('sets a corrupt file aside, and says so', () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'notes.json'), '{"version":1,"no')
    const { journal, problems } = open(folder)
    expect(problems).toEqual(['The journal was corrupt; the file was saved as notes.json.bad.'])
    journal.put('demo', null, draft(1))
    expect(readFileSync(join(folder, 'notes.json.bad'), 'utf8')).toBe('{"version":1,"no')
  })
  it('saves the notes that can be read again, and sets aside each file under a name of its own', () => {
    const folder = makeFolder()
    const good = open(folder).journal.put('demo', null, draft(1))
    for (const name of ['notes.json.bad', 'notes.json.bad2']) {
      const text = JSON.stringify({ version: 1, notes: [good, { text: name }] })
      writeFileSync(join(folder, 'notes.json'), text)
      expect(open(folder).problems).toEqual([`One note couldn’t be read; the file was saved as ${name}.`])
      expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
    }
    const { journal, problems } = open(folder)
    expect([journal.of('demo'), problems]).toEqual([[good], []])
  })
  it('is set aside once, if two terminals start on a corrupt file', () => {
    const folder = makeFolder()
    const good = open(folder).journal.put('demo', null, draft(1))
    writeFileSync(join(folder, 'notes.json'), JSON.stringify({ version: 1, notes: [good, {}] }))
    const real = journalFiles(folder)
    let theirs: Note | undefined
    const late = open(folder, {
      ...real,
      exclusively(change) {
        // The other terminal is faster, and the user writes a note in it.
        theirs ??= open(folder).journal.put('demo', null, draft(2))
        return real.exclusively(change)
      },
    })
    expect([late.journal.of('demo'), late.problems]).toEqual([[good, theirs], []])
    expect(readdirSync(folder).filter((name) => name.includes('bad'))).toEqual(['notes.json.bad'])
  })
  it('has what another terminal on the same folder saved and removed meanwhile', () => {
    const folder = makeFolder()
    const gone = open(folder).journal.put('demo', null, draft(1))
    const [mine, theirs] = [open(folder).journal, open(folder).journal]
    theirs.remove([gone.id])
    const other = theirs.put('demo', null, draft(2))
    let told = 0
    mine.onChange(() => told++)
    const own = mine.put('demo', null, draft(3))
    expect(mine.of('demo')).toEqual([other, own])
    expect(open(folder).journal.of('demo')).toEqual([other, own])
    expect(told).toBe(1)
    expect(() => mine.put('demo', gone.id, draft(1))).toThrow(/removed in the meantime/)
    expect(theirs.remove([own.id])).toEqual([own])
    mine.restore([own])
    expect(open(folder).journal.of('demo')).toEqual([other, own])
  })
  it.each([
    ['{"version":2,"notes":[]}', /newer Tapedeck/],
    ['{"version":1,"no', /changed by another program/],
    ['{"version":1,"notes":[{}]}', /changed by another program/],
  ])('refuses to overwrite %s, written meanwhile', (text, why) => {
    const folder = makeFolder()
    const { journal } = open(folder)
    journal.put('demo', null, draft(1))
    writeFileSync(join(folder, 'notes.json'), text)
    expect(() => journal.put('demo', null, draft(2))).toThrow(why)
    expect(readFileSync(join(folder, 'notes.json'), 'utf8')).toBe(text)
  })
  it('leaves notes unchanged if they can’t be saved', () => {
    const folder = makeFolder()
    const { journal } = open(folder)
    mkdirSync(join(folder, `notes.json.${process.pid}.tmp`))
    expect(() => journal.put('demo', null, draft(1))).toThrow(/Couldn’t save/)
    expect(journal.of('demo')).toEqual([])
  })
})

describe('several processes on one folder', () => {
  const program = fileURLToPath(new URL('journal-process.ts', import.meta.url))
  /** Starts a process; `next` waits for its next line. */
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => String((await lines.next()).value)
    return { child, next, exited: once(child, 'exit') }
  }

  it('lose no note of any of them, and undo no removal', async () => {
    const folder = makeFolder()
    const { journal } = open(folder)
    const each = 40
    const old = Array.from({ length: 2 * each }, (_, i) => journal.put('demo', null, draft(i)).id)
    const all = [old.slice(0, each), old.slice(each)].map((remove, i) =>
      start('write', folder, `p${i}`, remove.join(',')),
    )
    for (const { next } of all) expect(await next()).toBe('ready')
    for (const { child } of all) child.stdin.end('go\n')
    for (const { exited } of all) expect(await exited).toEqual([0, null])
    const saved = open(folder).journal.of('demo')
    const written = all.flatMap((_, i) => Array.from({ length: each }, (_, n) => `p${i}-${n}`))
    expect(saved.map(({ id }) => id).sort()).toEqual(written.sort())
  }, 120_000)

  it('aren’t blocked by one that died while it saved', async () => {
    const folder = makeFolder()
    const { child, next, exited } = start('hold', folder)
    expect(await next()).toBe('holding')
    const { files, journal } = open(folder)
    let ran = false
    expect(() => withFileLock(join(folder, 'notes.json.lock'), 0, () => (ran = true))).toThrow(LockBusyError)
    expect(ran).toBe(false)
    child.kill('SIGKILL')
    await exited
    const note = journal.put('demo', null, draft(1))
    expect(open(folder).journal.of('demo')).toEqual([note])
    const bad = (): unknown => JSON.parse('{')
    expect(() => files.exclusively(bad)).toThrow(SyntaxError)
    expect(files.exclusively(() => 1)).toBe(1)
  })
})

describe('pictures', () => {
  it('are saved once and read back to the byte; other files are refused', () => {
    const { files } = open(makeFolder())
    const { file } = files.addPicture(PNG)
    expect(files.addPicture(PNG)).toEqual({ file, isNew: false })
    expect(files.picture(file).equals(PNG)).toBe(true)
    expect(() => files.addPicture(Buffer.from('<svg/>'))).toThrow(/isn’t a PNG or JPEG/)
    expect(() => files.picture('../notes.json')).toThrow(/no longer exists/)
  })
  it('are deleted when the journal closes, and not before, if no note has them any more', () => {
    const folder = makeFolder()
    const { journal } = open(folder)
    const [used, lost, never] = [PNG, Buffer.concat([PNG, PNG]), Buffer.concat([PNG, PNG, PNG])].map((bytes) =>
      journal.addPicture(bytes),
    )
    journal.put('demo', null, draft(1, { pictures: [used] }))
    const removed = journal.remove([journal.put('demo', null, draft(2, { pictures: [used, lost] })).id])
    expect(readdirSync(folder).sort()).toEqual([used, lost, never, 'notes.json', 'notes.json.lock'].sort())
    journal.restore(removed)
    journal.remove(removed.map(({ id }) => id))
    journal.close()
    expect(readdirSync(folder).sort()).toEqual([used, 'notes.json', 'notes.json.lock'].sort())
  })
  it('that only a note of another terminal has are not deleted', () => {
    const folder = makeFolder()
    const [mine, theirs] = [open(folder).journal, open(folder).journal]
    const file = mine.addPicture(PNG)
    theirs.put('demo', null, draft(1, { pictures: [file] }))
    mine.close()
    expect(readdirSync(folder)).toContain(file)
  })
  it('stay if their notes can’t be read', () => {
    const folder = makeFolder()
    const before = open(folder).journal
    const file = before.addPicture(PNG)
    before.put('demo', null, draft(1, { pictures: [file] }))
    writeFileSync(join(folder, 'notes.json'), '{"version":1,"notes":[{}]}')
    for (let i = 0; i < 2; i++) {
      const { journal } = open(folder)
      journal.addPicture(PNG)
      journal.put('demo', null, draft(1))
      journal.close()
    }
    expect(readdirSync(folder)).toContain(file)
  })
})

describe('the move of an instrument', () => {
  const btc = { instrument: instrumentId('crypto', 'BTCUSD'), symbol: 'BTC-USD', of: 'trade' } as const
  const bar = (minute: number, open: number, high: number, low: number, close: number, complete = true): Bar =>
    ({ startMs: minute * 60_000, endMs: (minute + 1) * 60_000, open, high, low, close, complete }) as Bar // what a move reads
  it('is from the first open to the last close, with the extremes and the largest change in five bars', () => {
    const bars = [
      bar(0, 100, 101, 100, 101),
      bar(1, 101, 102, 99, 100),
      bar(2, 100, 100, 90, 92),
      bar(9, 92, 93, 91, 93),
      bar(20, 93, 110, 93, 98, false),
    ]
    expect(moveOf(bars, btc)).toMatchObject({
      first: 100,
      last: 98,
      change: expect.closeTo(-0.02, 12) as number,
      high: 110,
      highMs: 20 * 60_000,
      low: 90,
      lowMs: 2 * 60_000,
      burst: expect.closeTo(-0.08, 12) as number,
      burstMs: 0,
      incomplete: true,
    })
  })
  it('never joins bars that are further apart than the span', () => {
    const move = moveOf([bar(0, 100, 100, 100, 100), bar(60, 150, 151, 150, 151)], btc)
    expect(move?.burst).toBeCloseTo(151 / 150 - 1, 12)
  })
  it('is none without prices', () => {
    expect(moveOf([], btc)).toBeNull()
  })
})
