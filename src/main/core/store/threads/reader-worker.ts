/** The readers' thread: answers calls over a port from one read-only connection. */
import type { MessagePort } from 'node:worker_threads'
import { CodedError, toFailure, type Failure } from '../../../../shared/base/errors.ts'
import type { RecordingId } from '../../../../shared/base/units.ts'
import type { BarQuery, DigestFolds, InstrumentQuery, TickQuery } from '../types/store.ts'
import type { GapQuery } from '../read/queries.ts'
import { openLocalReader, type LocalReader } from './reader.ts'
import { isReplayRequest, type ReplayResponse, type ReplayRequest } from '../replay/replay-read.ts'
import { storeError } from '../schema/sqlite.ts'
import type { BlockQuery, TickPlan } from '../types/tick-source.ts'

export type ReaderRequest =
  | ReplayRequest
  | { readonly is: 'sessions'; readonly brief: boolean }
  | { readonly is: 'instruments'; readonly query: InstrumentQuery }
  | { readonly is: 'ledger-head'; readonly recordings: readonly RecordingId[] }
  | { readonly is: 'plan'; readonly query: TickQuery }
  | { readonly is: 'window'; readonly query: TickQuery; readonly plan: TickPlan; readonly after: number }
  | { readonly is: 'blocks'; readonly query: BlockQuery }
  | { readonly is: 'bars'; readonly query: BarQuery }
  | { readonly is: 'gaps'; readonly query: GapQuery }
  | { readonly is: 'extent'; readonly query: TickQuery }
  /** `stop`: one integer; the caller sets it to cancel. */
  | { readonly is: 'verify'; readonly session: RecordingId | null; readonly stop: SharedArrayBuffer }
  | { readonly is: 'ledger'; readonly recording: RecordingId }
  | { readonly is: 'close' }

export type ReaderReply =
  | { readonly is: 'opened' }
  | { readonly is: 'value'; readonly call: number; readonly value: unknown }
  | { readonly is: 'failed'; readonly call: number; readonly failure: Failure }
  | { readonly is: 'progress'; readonly call: number; readonly done: number; readonly messages: number }

export interface ReaderCall {
  readonly call: number
  readonly request: ReaderRequest
}

/** Opens the store read-only and serves the port until `close`. */
export function serveReader(port: MessagePort, file: string, folds?: DigestFolds): void {
  const reply = (message: ReaderReply, transfer: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer)
  let reader: LocalReader
  try {
    reader = openLocalReader(file, folds)
  } catch (thrown) {
    reply({ is: 'failed', call: 0, failure: toFailure(thrown) })
    port.close()
    return
  }
  const answer = (call: number, request: Exclude<ReaderRequest, ReplayRequest>): unknown => {
    switch (request.is) {
      case 'sessions':
        return reader.sessions(request.brief)
      case 'instruments':
        return reader.instruments(request.query)
      case 'ledger-head':
        return reader.ledgerHead(request.recordings)
      case 'plan':
        return reader.queries.plan(request.query)
      case 'window':
        return reader.queries.window(request.query, request.plan, request.after)
      case 'blocks':
        return reader.queries.blocks(request.query)
      case 'bars':
        return reader.bars(request.query)
      case 'gaps':
        return reader.gaps(request.query)
      case 'extent':
        return reader.extent(request.query)
      case 'verify':
        return reader.verify(request.session, (done, messages) => {
          reply({ is: 'progress', call, done, messages })
          if (Atomics.load(new Int32Array(request.stop), 0) !== 0)
            throw new CodedError('cancelled', 'Verification was stopped.')
        })
      case 'ledger':
        return reader.ledger(request.recording)
      case 'close':
        return reader.close()
    }
  }
  // The port carries only what StoreReader sends.
  port.on('message', ({ call, request }: ReaderCall) => {
    Promise.resolve()
      .then(async (): Promise<ReplayResponse> =>
        isReplayRequest(request)
          ? reader.review.respond(request)
          : { value: await answer(call, request), transfer: [] },
      )
      .then(
        ({ value, transfer }) => {
          reply({ is: 'value', call, value }, transfer)
          if (request.is === 'close') port.close()
        },
        (thrown: unknown) => reply({ is: 'failed', call, failure: toFailure(storeError(thrown, file)) }),
      )
  })
  reply({ is: 'opened' })
}
