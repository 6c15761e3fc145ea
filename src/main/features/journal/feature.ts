/** The trade journal: notes of the user, and reviews of what was recorded. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CodedError } from '../../../shared/base/errors.ts'
import type { AlertEvent } from '../../../shared/features/alerts/types.ts'
import { JOURNAL_CALLS, JOURNAL_STREAMS } from '../../../shared/features/journal/contract.ts'
import { isKnownAt, type JournalState } from '../../../shared/features/journal/note.ts'
import { log } from '../../core/log/feature.ts'
import { store } from '../../core/store/feature.ts'
import { views } from '../../core/views/feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { alerts } from '../alerts/feature.ts'
import { journalFiles } from './journal-files.ts'
import { openJournal } from './journal.ts'
import { alertsOf, buildReview } from './review.ts'

/** The most alerts of a page of their history. */
const PAGE = 500

export const journal = defineFeature({
  name: 'journal',
  needs: { log, store, market, views, alerts },
  start({ log, store: { reader }, market, views, alerts }, { clock, dataDir }) {
    const files = journalFiles(join(dataDir, 'journal'))
    const service = openJournal({
      files,
      newId: () => randomUUID().replaceAll('-', ''),
      wallMs: () => clock.wallMs(),
      problem: (text, detail) => log.notice('journal', text, detail),
    })
    const eventsFrom = (fromMs: number) => {
      const found: AlertEvent[] = []
      for (let before: number | null = null; ;) {
        const { events, more } = alerts.history({ alert: null, before, limit: PAGE })
        found.push(...events)
        const last = events.at(-1)
        if (!more || last === undefined || last.atMs < fromMs) return found
        before = last.id
      }
    }
    return {
      service,
      close: () => service.close(),
      responders: [
        ...respond(JOURNAL_CALLS, {
          'journal.put': ({ view, id, note }) => service.put(views.get(view).source(), id, note),
          'journal.remove': ({ ids }) => service.remove(ids),
          'journal.restore': ({ notes }) => service.restore(notes),
          'journal.addPicture': ({ base64 }) => service.addPicture(Buffer.from(base64, 'base64')),
          'journal.picture': ({ file }) => files.picture(file).toString('base64'),
          async 'journal.review'({ view: name, fromMs, toMs }) {
            const view = views.get(name)
            if (view.live) await market.settled()
            const nowMs = view.wallMs()
            const until = view.live ? toMs : Math.min(toMs, nowMs)
            if (until <= fromMs) {
              throw new CodedError('bad-arguments', 'There is nothing to review yet at this time.', {
                hint: 'Play the replay further, or choose an earlier start.',
              })
            }
            return buildReview(reader, {
              source: view.source(),
              fromMs,
              toMs: until,
              upTo: view.upTo(),
              nowMs,
              gaps: await view.history.sourceGaps(fromMs, until),
              alerts: alertsOf(
                view.source(),
                { events: eventsFrom(fromMs), problem: alerts.historyProblem, fromMs },
                alerts.list(),
              ),
              notes: service.of(view.source()).filter((note) => view.live || isKnownAt(note, nowMs)),
            })
          },
        }),
        ...stream(JOURNAL_STREAMS, {
          journal({ view }, wake) {
            const shown = views.get(view)
            const streams = wholeStreams((): JournalState => ({
              revision: service.revision,
              notes: service.of(shown.source()),
            }))
            const stop = service.onChange(() => streams.changed())
            const source = streams.open(wake)
            return shown.hold(
              {
                take: () => source.take(),
                close() {
                  stop()
                  source.close()
                },
              },
              wake,
            )
          },
        }),
      ],
    }
  },
})
