/** `tapedeck verify`: recomputes the ledger of what is stored. */
import { recordingId } from '../../shared/units.ts'
import type { Command } from './command.ts'
import { EXIT } from './exit.ts'
import { withReader } from './with-reader.ts'

export const verify: Command = {
  name: 'verify',
  summary: 'Recomputes the ledger of what is stored and names every difference.',
  examples: [
    ['Everything', ''],
    ['One session', '--session ID --json'],
  ],
  options: { session: { type: 'string', value: 'ID', help: 'Only this session (default: all)' } },
  async run(values, context) {
    const session = values.text('session')
    const report = await withReader(values, context, (reader) =>
      reader.verify(session === undefined ? null : recordingId(session), (done) => {
        if (context.interactive && !values.on('json')) context.err(`\rverifying ${Math.floor(done * 100)} % `)
      }),
    )
    if (context.interactive && !values.on('json')) context.err('\r')
    if (values.on('json')) context.out(`${JSON.stringify(report)}\n`)
    else {
      for (const { session: id, kind, feed, detail } of report.problems) {
        context.out(`${id}  ${feed ?? '-'}  ${kind}: ${detail}\n`)
      }
      context.out(
        `${report.sessions} sessions, ${report.messages} messages: ${report.ok ? 'all as recorded' : 'NOT as recorded'}\n`,
      )
    }
    if (report.ok) return EXIT.ok
    context.err(`tapedeck: ${report.problems.length} problems stand in the store.\n`)
    return EXIT.failed
  },
}
