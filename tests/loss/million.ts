/** A million messages at full speed: all received, decoded, shown to the hub and stored to the byte. */
import { join } from 'node:path'
import { recordAll } from '../../benchmarks/pipeline.ts'
import { startSender } from '../../benchmarks/sender.ts'
import { must, verified } from './stored.ts'

export async function million(folder: string, messages: number): Promise<string> {
  const file = join(folder, 'million.db')
  const sender = await startSender({ feed: 'crypto/XT', messages, rate: null })
  try {
    const { perSecond } = await recordAll(file, sender, messages)
    const report = await verified(file, null)
    must(report.ok, `verify finds ${JSON.stringify(report.problems.slice(0, 3))}`)
    return `${messages} messages at ${Math.round(perSecond)}/s, SHA-256 of what is stored equal to what was sent`
  } finally {
    sender.close()
  }
}
