/** The stored sessions, and the changes that a window makes to them. Failures are reported by the window. */
import type { CallArgs } from '../../../shared/contracts.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import { t } from '../../../shared/base/text.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { undoing } from '../../ui/toasts.svelte.ts'

const REFRESH_MS = 5_000
/** Until a session that is being closed is closed. */
const CLOSING_MS = 250

type Owner = Pick<WindowState, 'transport' | 'tell'> & { readonly toasts: Pick<WindowState['toasts'], 'show'> }

export class StoredSessions {
  readonly #app: Owner
  readonly #nameOf: (row: SessionRow) => string
  /** The session that the recorder writes; undefined until it is known. */
  #recorded: string | null | undefined
  #ended: string | null = null
  #refresh = (): Promise<void> => this.load()
  /** Undefined until they are listed for the first time. */
  rows = $state.raw<readonly SessionRow[] | undefined>()
  /** Why they couldn't be listed; null if they could. */
  problem = $state.raw<Failure | null>(null)

  /** `nameOf`: the name of a session at the beginning of a sentence. */
  constructor(app: Owner, nameOf: (row: SessionRow) => string) {
    this.#app = app
    this.#nameOf = nameOf
  }

  /** Keeps the list current until the returned function is called. */
  follow(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const next = async (): Promise<void> => {
      clearTimeout(timer)
      await this.load()
      clearTimeout(timer)
      if (!isOver) timer = setTimeout(() => void next(), this.#isClosing() ? CLOSING_MS : REFRESH_MS)
    }
    this.#refresh = next
    void next()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }

  /** Lists the sessions again because the recorder began or ended one. `session`: the one it records now, or null. */
  recorded(session: string | null): void {
    const before = this.#recorded
    this.#recorded = session
    if (before === undefined || before === session) return
    this.#ended = before
    void this.#refresh()
  }

  /** The recorder stops before what it received is on disk: until then, its session is listed as recording. */
  #isClosing(): boolean {
    return this.rows?.some((row) => row.live && row.session === this.#ended) ?? false
  }

  async load(): Promise<void> {
    const result = await this.#app.transport.invoke('sessions.list', {})
    if (result.ok) {
      this.rows = result.value
      this.problem = null
    } else this.problem = result.error
  }

  async annotate(patches: readonly CallArgs<'sessions.annotate'>[]): Promise<void> {
    for (const patch of patches) {
      const result = await this.#app.transport.invoke('sessions.annotate', patch)
      if (!result.ok) this.#app.tell(result.error)
    }
    await this.load()
  }

  /** Moves sessions to the bin, or back. Calls `moved` before the list changes; the notice offers `undo`. */
  async bin(some: readonly SessionRow[], into: boolean, moved: () => void, undo: () => void): Promise<void> {
    const sessions = some.map(({ session }) => session)
    const result = await this.#app.transport.invoke('sessions.bin', { sessions, binned: into })
    if (!result.ok) return this.#app.tell(result.error)
    moved()
    await this.load()
    const [one] = some
    const notice =
      some.length === 1 && one
        ? t(into ? '{nameOf} was moved to the bin.' : '{nameOf} was restored.', { nameOf: this.#nameOf(one) })
        : t(
            into
              ? { one: '{count} session was moved to the bin.', other: '{count} sessions were moved to the bin.' }
              : { one: '{count} session was restored.', other: '{count} sessions were restored.' },
            { count: some.length },
          )
    this.#app.toasts.show(notice, { action: undoing(undo) })
  }

  /** Erases sessions permanently. Calls `erased` before the list changes. */
  async erase(some: readonly SessionRow[], erased: () => void): Promise<void> {
    const sessions = some.map(({ session }) => session)
    const result = await this.#app.transport.invoke('sessions.erase', { sessions })
    if (!result.ok) return this.#app.tell(result.error)
    erased()
    await this.load()
    this.#app.toasts.show(
      t({ one: 'The session was erased.', other: '{count} sessions were erased.' }, { count: some.length }),
    )
  }

  async compact(): Promise<void> {
    const result = await this.#app.transport.invoke('sessions.compact', {})
    if (!result.ok) this.#app.tell(result.error)
  }
}
