/** One research request of a pane: shows the saved response right away, then loads a newer one if it is stale. */
import { readResponse, type Reading } from '../../../../shared/features/research/read.ts'
import type { Failure } from '../../../../shared/base/errors.ts'
import type { ServiceResponse, ResponseVersion } from '../../../../shared/features/research/research.ts'
import type { Transport } from '../../../../shared/transport.ts'

export interface Question {
  /** `live` or a replay id. */
  readonly view: string
  readonly endpoint: string
  /** '' if the endpoint's path takes no symbol. */
  readonly symbol: string
  readonly params: Readonly<Record<string, string>>
}

const NO_READING: Reading = { tables: [], facts: [], value: undefined, form: 'text' }
let tickets = 0

export class ResponseState {
  response = $state.raw<ServiceResponse | null>(null)
  /** Why no newer response could be loaded; null if none failed. */
  failure = $state.raw<Failure | null>(null)
  stale = $state(false)
  loading = $state(false)
  /** True once the first store lookup is done: until then a null `response` doesn't mean there is none. */
  known = $state(false)
  versions = $state.raw<readonly ResponseVersion[]>([])
  /** An older response shown instead of the newest. */
  older = $state.raw<ServiceResponse | null>(null)

  /** The response the shown one is compared with. */
  other = $state.raw<ServiceResponse | null>(null)

  readonly shown = $derived.by(() => this.older ?? this.response)
  readonly reading = $derived.by(() => (this.shown === null ? NO_READING : readResponse(this.shown.text)))

  readonly #transport: Transport
  #question: Question | null = null
  /** Number of replay clock moves, and whether `follow` is already catching up with them. */
  #moves = 0
  #looking = false
  #ticket = ''

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Loads the response to a question. Does nothing if the question is unchanged. */
  ask(question: Question): void {
    if (JSON.stringify(question) === JSON.stringify(this.#question)) return
    this.#drop()
    this.#question = question
    this.response = null
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

  /** Follows a replay's clock: shows responses received by then and removes later ones. */
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
      if (newest?.id !== this.response?.id) await this.#run('cached')
    } while (seen !== this.#moves)
    this.#looking = false
  }

  /** Loads the saved versions of this response, newest first. */
  async loadVersions(): Promise<void> {
    const question = this.#question
    if (question === null) return
    const result = await this.#transport.invoke('research.versions', question)
    if (result.ok && this.#question === question) this.versions = result.value
  }

  /** Shows an older version; null goes back to the newest. */
  async look(version: number | null): Promise<void> {
    if (version === null || version === this.response?.id) {
      this.older = null
      return
    }
    const question = this.#question
    const result = await this.#transport.invoke('research.version', { version })
    if (this.#question !== question) return
    if (result.ok) this.older = result.value
    else this.failure = result.error
  }

  /** Sets the version to compare with; null ends the comparison. */
  async compareWith(version: number | null): Promise<void> {
    this.other = null
    if (version === null) return
    const question = this.#question
    const result = await this.#transport.invoke('research.version', { version })
    if (this.#question !== question) return
    if (result.ok) this.other = result.value
    else this.failure = result.error
  }

  /** The pane is closing: cancels the request in flight. */
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
    const { response, failure, stale } = result.value
    // Keep the current object if the version is the same, so a refresh doesn't reset a table's scroll position.
    if (response?.id !== this.response?.id && (response !== null || question.view !== 'live')) this.response = response
    this.failure = failure
    this.stale = stale
    if (this.versions.length > 0) void this.loadVersions()
  }
}
