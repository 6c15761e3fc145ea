/** One question to an endpoint as a pane holds it: the last answer at once, a newer one behind it. */
import { readAnswer, type Reading } from '../../../../shared/features/research/read.ts'
import type { Failure } from '../../../../shared/base/errors.ts'
import type { Answer, AnswerVersion } from '../../../../shared/features/research/research.ts'
import type { Transport } from '../../../../shared/rpc/transport.ts'

export interface Question {
  /** `live` or a replay. */
  readonly view: string
  readonly endpoint: string
  /** '' where the path takes none. */
  readonly symbol: string
  readonly params: Readonly<Record<string, string>>
}

const NO_READING: Reading = { tables: [], facts: [], value: undefined, form: 'text' }
let tickets = 0

export class AnswerState {
  answer = $state.raw<Answer | null>(null)
  /** Why there is nothing newer; null: there is, or none was asked for. */
  failure = $state.raw<Failure | null>(null)
  stale = $state(false)
  loading = $state(false)
  /** The first look into the store has come back: only then is "nothing" known to be nothing. */
  known = $state(false)
  versions = $state.raw<readonly AnswerVersion[]>([])
  /** An older answer that is looked at instead of the newest. */
  older = $state.raw<Answer | null>(null)

  /** An answer that the one shown is compared with. */
  other = $state.raw<Answer | null>(null)

  readonly shown = $derived.by(() => this.older ?? this.answer)
  readonly reading = $derived.by(() => (this.shown === null ? NO_READING : readAnswer(this.shown.text)))

  readonly #transport: Transport
  #question: Question | null = null
  /** How often the clock of a replay has moved, and whether a look at what it has reached is under way. */
  #moves = 0
  #looking = false
  #ticket = ''

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Asks; a question that is the same as before is left alone. */
  ask(question: Question): void {
    if (JSON.stringify(question) === JSON.stringify(this.#question)) return
    this.#drop()
    this.#question = question
    this.answer = null
    this.older = null
    this.other = null
    this.failure = null
    this.known = false
    this.versions = []
    void this.#run('cached').then(() => {
      if (this.#question === question && this.stale && question.view === 'live') void this.#run('fresh')
    })
  }

  refresh(): void {
    if (!this.loading) void this.#run('force')
  }

  /** The clock of a replay has moved: what it has reached since is shown, what it has not yet reached goes. */
  async follow(): Promise<void> {
    const question = this.#question
    if (question === null || question.view === 'live' || !this.known) return
    this.#moves++
    if (this.#looking) return
    this.#looking = true
    let seen: number
    do {
      seen = this.#moves
      const result = await this.#transport.invoke('research.versions', question)
      if (this.#question !== question || !result.ok) break
      const found = result.value
      if (this.older !== null && !found.some(({ id }) => id === this.older?.id)) this.older = null
      if (this.other !== null && !found.some(({ id }) => id === this.other?.id)) this.other = null
      const newest = found.find(({ status }) => status >= 200 && status <= 299)
      if (newest?.id !== this.answer?.id) await this.#run('cached')
    } while (seen !== this.#moves)
    this.#looking = false
  }

  /** The history of this question, newest first. */
  async loadVersions(): Promise<void> {
    const question = this.#question
    if (question === null) return
    const result = await this.#transport.invoke('research.versions', question)
    if (result.ok && this.#question === question) this.versions = result.value
  }

  /** Shows an older answer; null: the newest again. */
  async look(version: number | null): Promise<void> {
    if (version === null || version === this.answer?.id) {
      this.older = null
      return
    }
    const question = this.#question
    const result = await this.#transport.invoke('research.version', { version })
    if (this.#question !== question) return
    if (result.ok) this.older = result.value
    else this.failure = result.error
  }

  /** Sets another answer beside the one shown; null: none any more. */
  async compareWith(version: number | null): Promise<void> {
    this.other = null
    if (version === null) return
    const question = this.#question
    const result = await this.#transport.invoke('research.version', { version })
    if (this.#question !== question) return
    if (result.ok) this.other = result.value
    else this.failure = result.error
  }

  /** The pane is gone: its call may end. */
  close(): void {
    this.#drop()
    this.#question = null
  }

  #drop(): void {
    if (this.loading && this.#ticket !== '') void this.#transport.invoke('research.cancel', { ticket: this.#ticket })
    this.loading = false
  }

  async #run(mode: 'cached' | 'fresh' | 'force'): Promise<void> {
    const question = this.#question
    if (question === null) return
    const ticket = (this.#ticket = `window-${++tickets}`)
    if (mode !== 'cached') this.loading = true
    const result = await this.#transport.invoke('research.get', { ...question, mode, ticket })
    if (this.#question !== question || this.#ticket !== ticket) return
    this.loading = false
    this.known = true
    if (!result.ok) {
      if (result.error.code !== 'cancelled') this.failure = result.error
      return
    }
    const { answer, failure, stale } = result.value
    // The same text again keeps its reading: a table does not lose its place because it was refreshed.
    if (answer?.id !== this.answer?.id && (answer !== null || question.view !== 'live')) this.answer = answer
    this.failure = failure
    this.stale = stale
    if (this.versions.length > 0) void this.loadVersions()
  }
}
