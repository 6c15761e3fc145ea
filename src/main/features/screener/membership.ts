/** Finds which symbols entered or left the saved screens whose alerts are on. Does no I/O. */
import type { UnixMs } from '../../../shared/base/units.ts'
import type { ScreenChange } from '../../../shared/features/screener/contract.ts'
import type { ScreenRow } from '../../../shared/features/screener/rows.ts'
import type { SavedScreen } from '../../../shared/features/screener/screen.ts'

type Member = Pick<ScreenRow, 'instrument' | 'symbol'>

/** The most changes that windows get. */
const MAX_CHANGES = 50

export class Membership {
  /** By screen: its settings and members at the last evaluation, and who was undecided. */
  readonly #members = new Map<
    string,
    { readonly of: string; readonly all: ReadonlyMap<string, Member>; readonly undecided: ReadonlySet<string> }
  >()
  #changes: readonly ScreenChange[] = []
  #id = 0

  /** The newest changes, oldest first. */
  get changes(): readonly ScreenChange[] {
    return this.#changes
  }

  /** Forgets the members, so the next evaluation of each screen counts as its first. */
  forget(): void {
    this.#members.clear()
  }

  /**
   * Takes the members of a screen and returns what changed; null if nothing did. The first call for a screen, and the
   * first after it was edited, only records its members. `undecided`: instruments that may belong, but whose current
   * figures or fundamentals aren't known. They keep their state, and entering from an undecided state is no change.
   */
  look(
    { id, name, screen }: SavedScreen,
    rows: readonly Member[],
    atMs: UnixMs,
    undecided: ReadonlySet<string> = new Set(),
  ): ScreenChange | null {
    const of = JSON.stringify([screen.span, screen.universe, screen.reference, screen.filters])
    const known = this.#members.get(id)
    const before = known?.of === of ? known : undefined
    const stayed = [...(before?.all.values() ?? [])].filter(({ instrument }) => undecided.has(instrument))
    const all = new Map(
      [...rows, ...stayed].map(({ instrument, symbol }) => [instrument, { instrument, symbol }] as const),
    )
    this.#members.set(id, { of, all, undecided })
    if (before === undefined) return null
    const entered = [...all.values()].filter(
      ({ instrument }) => !before.all.has(instrument) && !before.undecided.has(instrument),
    )
    const left = [...before.all.values()].filter(({ instrument }) => !all.has(instrument))
    if (entered.length === 0 && left.length === 0) return null
    // By time, so that a window that stays open while the terminal starts again knows new changes from old ones.
    this.#id = Math.max(this.#id + 1, Math.floor(atMs))
    const change: ScreenChange = { id: this.#id, atMs, screen: id, name, entered, left }
    this.#changes = [...this.#changes, change].slice(-MAX_CHANGES)
    return change
  }

  /** Drops screens that are gone or no longer watched. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of [...this.#members.keys()]) if (!ids.has(id)) this.#members.delete(id)
  }
}
