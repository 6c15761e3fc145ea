/** Copies frames into the tail. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../database.ts'

/** A frame of a tail. */
export interface TailFrame {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly bytes: Uint8Array
}

/** The start of PostgreSQL's binary COPY format: a signature, no flags, no extension. */
const START = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const END = Buffer.from([0xff, 0xff])
const INT8_BYTES = 8
/** Before the frame itself: a count of columns, three numbers and a length. */
const ROW_BYTES = 2 + 3 * (4 + INT8_BYTES) + 4

/**
 * Copies frames of a session into `<schema>.tail`, each as soon as it comes, so that the server stores it while the
 * next one is being verified. Resolves once all are in, as part of the transaction. `id`: of the session's row.
 */
export async function copyToTail(
  sql: Sql,
  schema: string,
  id: number,
  frames: AsyncIterable<TailFrame>,
): Promise<void> {
  const { from } = await import('pg-copy-streams')
  if (sql.client === null) throw new TypeError('frames are stored in a transaction')
  const copy = sql.client.query(
    from(`COPY ${schema}.tail (session, first_seq, last_seq, data) FROM STDIN (FORMAT binary)`),
  )
  await pipeline(Readable.from(rows(id, frames), { objectMode: true, highWaterMark: 4 }), copy)
}

async function* rows(id: number, frames: AsyncIterable<TailFrame>): AsyncGenerator<Uint8Array> {
  yield START
  for await (const { firstSeq, lastSeq, bytes } of frames) {
    const head = Buffer.alloc(ROW_BYTES)
    let at = head.writeInt16BE(4)
    for (const value of [id, firstSeq, lastSeq]) {
      at = head.writeInt32BE(INT8_BYTES, at)
      at = head.writeBigInt64BE(BigInt(value), at)
    }
    head.writeInt32BE(bytes.length, at)
    yield head
    yield bytes
    // Verifying takes no turns of its own, and the server is fed in turns.
    await setImmediate()
  }
  yield END
}
