/** A process that changes a journal with others: `write FOLDER NAME REMOVE,…`, or `hold FOLDER` until it is killed. */
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { journalFiles } from '../../../../../src/main/features/journal/journal-files.ts'
import { openJournal } from '../../../../../src/main/features/journal/journal.ts'

const [what, folder, name, remove = ''] = process.argv.slice(2)
const files = journalFiles(folder)
if (what === 'hold') {
  files.exclusively(() => {
    writeSync(1, 'holding\n') // stdout may write later on some systems
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) // until it is killed
  })
} else {
  let ids = 0
  const journal = openJournal({
    files,
    newId: () => `${name}-${ids++}`,
    wallMs: () => 1,
    problem(text) {
      throw new Error(text)
    },
  })
  process.stdout.write('ready\n')
  await once(process.stdin, 'data')
  for (const id of remove.split(',')) {
    journal.put('demo', null, { instrument: null, fromMs: 1, toMs: null, text: 'x', tags: [], pictures: [] })
    if (journal.remove([id]).length !== 1) throw new Error(`${id} was gone`)
  }
  process.exit(0)
}
