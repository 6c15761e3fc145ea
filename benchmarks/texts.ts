/** Large and hostile texts: answers, workspace files and release notes, beside a parser or a text half as long. */
import { releaseOf } from '../src/main/features/updates/electron-updater.ts'
import { readResponse } from '../src/shared/features/research/read.ts'
import { FILE_KIND, readWorkspaceFile } from '../src/shared/features/workspace/file.ts'
import { readyWorkspace } from '../src/shared/features/workspace/ready.ts'
import { duel, row, type Row } from './row.ts'

interface Comparison {
  readonly name: string
  readonly peerName: string
  /** The ratio that is the goal. */
  readonly atMost: number
  readonly ours: () => unknown
  readonly peer: () => unknown
}

async function compare({ name, peerName, atMost, ours, peer }: Comparison): Promise<Row> {
  const best = await duel(5, ours, peer)
  const goal = { is: 'at most', ratio: atMost } as const
  return row({ name, unit: 'ms', ours: best.ours * 1e3, peer: best.theirs * 1e3, peerName, goal })
}

/** Times of three kinds of text; `records` is the length of the answer, and sets that of the others. */
export async function benchTexts(records: number): Promise<readonly Row[]> {
  const rows = Array.from({ length: records }, (_, i) => ({ date: '2026-01-01', n: i, name: `n${i}` }))
  const answer = JSON.stringify({ rows })
  const name = 'x'.repeat(records * 100)
  const file = JSON.stringify({ kind: FILE_KIND, workspace: { ...readyWorkspace('overview'), name } })
  const info = { version: '2.0.0', files: [], path: '', sha512: '', releaseDate: '' }
  const notes = (count: number) => {
    const releaseNotes = '<a '.repeat(count)
    return () => releaseOf({ ...info, releaseNotes })
  }
  return [
    await compare({
      name: `an answer of ${records.toLocaleString('en')} records, read as tables`,
      peerName: 'JSON.parse of the same text',
      atMost: 20,
      ours: () => readResponse(answer),
      peer: () => JSON.parse(answer) as unknown,
    }),
    await compare({
      name: 'a workspace file with a name of megabytes',
      peerName: 'JSON.parse of the same text',
      atMost: 20,
      ours: () => readWorkspaceFile(file),
      peer: () => JSON.parse(file) as unknown,
    }),
    // Twice the text in twice the time; what is quadratic takes four times as long.
    await compare({
      name: 'release notes of nothing but open tags',
      peerName: 'half as many',
      atMost: 2.2,
      ours: notes(records),
      peer: notes(records / 2),
    }),
  ]
}
