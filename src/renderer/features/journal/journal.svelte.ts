/** The notes of the market that this window shows, and the note being written. */
import type { Failure } from '../../../shared/base/errors.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'
import { isKnownAt, type Note, type NoteDraft } from '../../../shared/features/journal/note.ts'
import type { ChartMarker } from '../../charts/model/markers.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { keepStream } from '../../rpc/follow-stream.ts'
import { undoing } from '../../ui/toasts.svelte.ts'
import type { Span } from '../../../shared/base/spans.ts'
import type { ReviewRange } from './review-range.ts'

/** The note that the dialog opens with. */
export interface OpenNote {
  /** Null: a new one. */
  readonly id: string | null
  readonly draft: NoteDraft
}

const LONGEST_MARK = 120

export class JournalBook {
  /** The note in the dialog; null if none is open. */
  open = $state.raw<OpenNote | null>(null)
  /** The note that the list should show, such as one clicked on a chart. */
  shown = $state.raw<{ readonly id: string } | null>(null)
  /** The page of the journal in front. */
  page = $state<'notes' | 'review'>('notes')
  range = $state<ReviewRange>('session')
  #marked = $state.raw<Span | null>(null)
  #all = $state.raw<readonly Note[]>([])
  /** Notes of this market, oldest first. In a replay, only those up to its clock. */
  readonly notes = $derived.by<readonly Note[]>(() => {
    if (this.#app.view === 'live') return this.#all
    const nowMs = this.#app.clockMs
    const known = this.#all.filter((note) => isKnownAt(note, nowMs))
    if (known.length !== this.#known.length || known.some((note, i) => note !== this.#known[i])) this.#known = known
    return this.#known
  })
  /** The notes at the last tick. Reusing an unchanged list avoids repainting charts. */
  #known: readonly Note[] = []
  readonly #app: WindowState
  readonly #stop: () => void
  /** Takes a picture of the chart used last; null: there is none. */
  #picture = $state.raw<(() => Promise<Blob | null>) | null>(null)

  constructor(app: WindowState) {
    this.#app = app
    this.#stop = $effect.root(() => {
      $effect(() => {
        void app.markets // another source has other notes
        this.#all = []
        return keepStream(app.transport, 'journal', { view: app.view }, ({ notes }) => (this.#all = notes))
      })
    })
  }

  /** Opens the dialog for a new note, pinned to an instant or range (UTC ms). */
  begin(
    at: { readonly fromMs?: number; readonly toMs?: number | null; readonly instrument?: InstrumentId | null } = {},
  ) {
    const { fromMs = Math.floor(this.#app.clockMs), toMs = null, instrument = this.#app.instrument } = at
    this.open = { id: null, draft: { instrument, fromMs, toMs, text: '', tags: [], pictures: [] } }
    this.#app.dialog = 'note'
  }
  edit({ id, instrument, fromMs, toMs, text, tags, pictures }: Note): void {
    this.open = { id, draft: { instrument, fromMs, toMs, text, tags, pictures } }
    this.#app.dialog = 'note'
  }

  /** The range last chosen on a chart for review; null: none yet. */
  get marked(): Span | null {
    return this.#marked
  }
  /** Shows the review of a range. */
  review(span: Span): void {
    this.#marked = span
    this.range = 'marked'
    this.page = 'review'
    this.#app.layout.open('journal')
  }

  /** Saves the note in the dialog. Returns why it couldn't, or null. */
  async save(id: string | null, note: NoteDraft): Promise<Failure | null> {
    const result = await this.#app.transport.invoke('journal.put', { view: this.#app.view, id, note })
    if (!result.ok) return result.error
    this.shown = { id: result.value.id }
    this.#app.toasts.say(id === null ? t('Note added.') : t('Note changed.'))
    return null
  }

  /** Offers to continue writing a note that was closed without saving. */
  offerAgain(note: OpenNote): void {
    const run = () => {
      this.open = note
      this.#app.dialog = 'note'
    }
    this.#app.toasts.show(t('The note wasn’t saved.'), { action: { label: t('Continue writing'), run } })
  }

  /** Removes a note; the notification offers to undo it. */
  async remove(note: Note): Promise<void> {
    const { transport, toasts } = this.#app
    const removed = await transport.invoke('journal.remove', { ids: [note.id] })
    if (!removed.ok) return this.#app.tell(removed.error)
    const restore = async () => {
      const result = await transport.invoke('journal.restore', { notes: [...removed.value] })
      if (!result.ok) this.#app.tell(result.error)
    }
    toasts.show(t('Note removed.'), { action: undoing(() => void restore()) })
  }

  /** The chart used last registers how to take its picture. Returns a function that removes it. */
  offerPicture(take: () => Promise<Blob | null>): () => void {
    this.#picture = take
    return () => {
      if (this.#picture === take) this.#picture = null
    }
  }
  get hasPicture(): boolean {
    return this.#picture !== null
  }
  chartPicture = (): Promise<Blob | null> => this.#picture?.() ?? Promise.resolve(null)

  /** The marks of an instrument's chart: both ends of a range. Notes on the whole market mark every chart. */
  marksOf(instrument: InstrumentId): readonly ChartMarker[] {
    return this.notes
      .filter((note) => note.instrument === null || note.instrument === instrument)
      .flatMap((note): readonly ChartMarker[] => {
        const what = note.text === '' ? note.tags.map((tag) => `#${tag}`).join(' ') : note.text
        const text = t('Note: {text}', { text: what.slice(0, LONGEST_MARK) })
        const mark = { kind: 'note', day: false, note: note.id } as const
        if (note.toMs === null) return [{ ...mark, ms: note.fromMs, text }]
        const end = t('End of note: {text}', { text: what.slice(0, LONGEST_MARK) })
        return [
          { ...mark, ms: note.fromMs, text },
          { ...mark, ms: note.toMs, text: end },
        ]
      })
  }

  /**
   * The notes on an instrument that touch (`olderMs`, `atMs`], UTC ms, for a row of a list of times. Several rows can have
   * the same time: all of them get the notes of that instant. `olderMs` null: there is no older row.
   */
  notesOfRow(instrument: InstrumentId, atMs: number, olderMs: number | null): readonly Note[] {
    const isOf = ({ fromMs, toMs }: Note) => {
      const endMs = toMs ?? fromMs
      return fromMs <= atMs && (endMs >= atMs || (olderMs !== null && endMs > olderMs))
    }
    return this.notes.filter((note) => (note.instrument === null || note.instrument === instrument) && isOf(note))
  }

  close(): void {
    this.#stop()
  }
}
