/** The workspace that a window shows: changes apply here at once, are saved by the terminal and can be undone. */
import type { Failure } from '../../../shared/base/errors.ts'
import type { WorkspacesState } from '../../../shared/features/workspace/contract.ts'
import type { Workspace } from '../../../shared/features/workspace/document.ts'
import { NO_HISTORY, noted, redone, undone, type LayoutHistory } from '../../../shared/features/workspace/history.ts'
import { firstLibrary } from '../../../shared/features/workspace/library.ts'
import { partOf, withPart } from '../../../shared/features/workspace/parts.ts'
import { readyWorkspace } from '../../../shared/features/workspace/ready.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { DockRoute } from '../../core/window/window-route.ts'
import { LOADING_MS } from './pane-windows.ts'
import { keepStream } from '../../rpc/follow-stream.ts'
import type { Toasts } from '../../ui/toasts.svelte.ts'

/** The first step of a gesture, such as moving a divider, is sent at once, the others once none came for this long. */
const PUT_AFTER_MS = 250
type Change = (now: Workspace) => Workspace

export interface DockWindow {
  readonly transport: Transport
  readonly route: DockRoute
  readonly toasts: Pick<Toasts, 'show' | 'say'>
  tell(failure: Failure): void
}

export class ShownWorkspace {
  /** True once the terminal has sent its workspaces. */
  ready = $state(false)
  all = $state.raw<readonly Workspace[]>(firstLibrary().workspaces)
  snapshots = $state.raw<WorkspacesState['snapshots']>({})
  /** Id of the workspace this window shows. */
  id = $state(firstLibrary().latest)
  /** Id of this popped-out window within the workspace; null in the main window. */
  readonly window: string | null

  /** The whole workspace, as this window knows it. */
  readonly whole = $derived.by<Workspace>(() => this.#whole())
  /** True once this popped-out window has no panes left: they were moved back to the dock or closed. */
  readonly gone = $derived.by(
    () => this.window !== null && (this.#lost || (this.#wasThere && partOf(this.whole, this.window) === null)),
  )
  /** The part of the workspace this window shows. */
  readonly now = $derived.by<Workspace>(() =>
    this.window === null ? this.whole : (partOf(this.whole, this.window) ?? this.whole),
  )
  readonly canUndo = $derived.by(() => this.#history.past.length > 0)
  readonly canRedo = $derived.by(() => this.#history.future.length > 0)
  /** The workspace before the last undoable change. Its identity changes only when a change is made or undone. */
  readonly step = $derived.by<Workspace | undefined>(() => this.#history.past.at(-1))

  #history = $state.raw<LayoutHistory>(NO_HISTORY)
  /** Workspaces changed here that the terminal hasn't confirmed yet, by id. */
  #own = $state.raw<Readonly<Record<string, Workspace>>>({})
  #timer: ReturnType<typeof setTimeout> | undefined
  #lateTimer: ReturnType<typeof setTimeout> | undefined
  /** Something in `#own` hasn't been sent yet. */
  #isPending = false
  #sending = 0
  /** Id of the workspace a new window shows. */
  #latest = firstLibrary().latest
  /** Safe mode started or ended, so this window's part is gone, even if a workspace of the same id exists. */
  #lost = $state(false)
  #shown = false
  /** True once this window's part has arrived: the window may open before the other one's change is saved. */
  #wasThere = $state(false)
  #detached = false
  protected readonly app: DockWindow
  readonly #close: () => void

  constructor(app: DockWindow) {
    const { route } = app
    this.app = app
    this.window = route.window ?? null
    if (route.workspace !== undefined) {
      this.id = route.workspace
      this.#shown = true
    }
    this.#close = keepStream(app.transport, 'workspaces', {}, (state) => this.#arrived(state))
  }

  #whole(): Workspace {
    const stored = this.all.find((one) => one.id === this.id) ?? this.all[0]
    return this.#own[this.id] ?? stored ?? readyWorkspace('overview')
  }

  #arrived(state: WorkspacesState): void {
    this.all = state.workspaces
    this.snapshots = state.snapshots
    this.#latest = state.latest
    const first = !this.ready
    this.ready = true
    // Other windows never change which workspace this one shows, unless that workspace was removed.
    if ((first && !this.#shown) || !state.workspaces.some((one) => one.id === this.id)) {
      if (!this.#own[this.id]) this.#switchTo(state.latest)
    }
    if (first && this.#detached) this.#own = { [this.id]: this.whole }
    if (this.window !== null) this.#awaitPart(this.window)
    // While one of our changes is in flight, an arriving state may predate it.
    if (this.#sending === 0 && !this.#isPending && !this.#detached) this.#own = {}
  }
  /** A popped-out window whose part doesn't arrive came too late: the main window has taken its panes back. */
  #awaitPart(window: string): void {
    if (partOf(this.whole, window) !== null) {
      this.#wasThere = true
      clearTimeout(this.#lateTimer)
    } else if (!this.#wasThere) this.#lateTimer ??= setTimeout(() => (this.#lost = true), LOADING_MS)
  }
  #switchTo(id: string): void {
    if (id === this.id) return
    this.id = id
    this.#history = NO_HISTORY
  }

  /** Changes the part of the workspace that this window shows. `step`: the change can be undone. */
  change(change: Change, step = true): void {
    const before = this.whole
    const after = this.window === null ? change(before) : this.#changePart(before, this.window, change)
    this.#take(before, after, step, false)
  }
  /** Changes the whole workspace, across all its windows. */
  changeWhole(change: Change, step = true): void {
    this.#take(this.whole, change(this.whole), step, false)
  }
  #changePart(before: Workspace, window: string, change: Change): Workspace {
    const part = partOf(before, window)
    return part ? withPart(before, window, change(part)) : before
  }
  #take(before: Workspace, after: Workspace, step: boolean, replaces: boolean): void {
    if (after === before) return
    if (step) this.#history = noted(this.#history, before, after)
    this.#own = { ...this.#own, [after.id]: after }
    if (this.#detached) return
    this.#isPending = true
    if (replaces) this.#put(true)
    // One action can be several changes.
    else if (this.#timer === undefined) queueMicrotask(() => this.flush())
    else this.#putLater()
  }
  #putLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.flush()
    }, PUT_AFTER_MS)
  }
  #put(replaces: boolean): void {
    this.#isPending = false
    this.#putLater()
    const mine = Object.values(this.#own)
    for (const workspace of mine) void this.#send(workspace, replaces)
  }
  async #send(workspace: Workspace, replaces: boolean): Promise<boolean> {
    this.#sending++
    const result = await this.app.transport.invoke('workspaces.put', { text: JSON.stringify(workspace), replaces })
    this.#sending--
    if (!result.ok) this.app.tell(result.error)
    // The stream reports the saved state, but it may have arrived before this reply: then apply the change here.
    if (
      this.#sending === 0 &&
      this.#own[workspace.id] !== undefined &&
      !this.#isPending &&
      result.ok &&
      !this.#detached
    ) {
      this.all = this.all.some((one) => one.id === workspace.id)
        ? this.all.map((one) => (one.id === workspace.id ? workspace : one))
        : [...this.all, workspace]
      this.#own = {}
    }
    return result.ok
  }
  /** Safe mode started or ended: drops the shown workspace and its unsaved changes. */
  reload(): void {
    if (this.window !== null) this.#lost = true
    if (this.#detached) return
    this.#isPending = false
    this.#own = {}
    if (!this.all.some((one) => one.id === this.id)) this.#switchTo(this.#latest)
  }
  /** Sends pending changes immediately. Call it before the window closes or another one reads the workspace. */
  flush(): void {
    if (this.#isPending) this.#put(false)
  }

  /** Stops saving: from now on changes in this window stay in this window. */
  detach(): void {
    this.#detached = true
    if (this.ready) this.#own = { [this.id]: this.whole }
  }

  undo(): boolean {
    const before = this.whole
    const back = undone(this.#history, before)
    if (!back) return false
    this.#take(before, back[1], false, false)
    this.#history = back[0]
    return true
  }
  redo(): boolean {
    const before = this.whole
    const forth = redone(this.#history, before)
    if (!forth) return false
    this.#take(before, forth[1], false, false)
    this.#history = forth[0]
    return true
  }

  /** Shows another workspace in this window. */
  show(id: string): void {
    if (!this.all.some((one) => one.id === id)) return
    this.flush()
    this.#switchTo(id)
    void this.app.transport.invoke('workspaces.show', { id })
  }
  /** Adds a workspace and shows it. Returns whether the terminal accepted it. */
  async add(workspace: Workspace): Promise<boolean> {
    this.flush()
    this.#own = { ...this.#own, [workspace.id]: workspace }
    if (!(await this.#send(workspace, false))) {
      this.#own = {}
      return false
    }
    if (!this.all.some((one) => one.id === workspace.id)) this.all = [...this.all, workspace]
    this.show(workspace.id)
    return true
  }
  /** Replaces the shown workspace. The previous state is saved as a snapshot, and the change can be undone. */
  replace(workspace: Workspace): void {
    const before = this.whole
    this.#take(before, { ...workspace, id: before.id }, true, true)
  }
  async remove(id: string): Promise<boolean> {
    this.flush()
    const next = this.all.find((one) => one.id !== id)
    const result = await this.app.transport.invoke('workspaces.remove', { id })
    if (!result.ok) {
      this.app.tell(result.error)
      return false
    }
    if (this.id === id && next) this.#switchTo(next.id)
    return true
  }
  async snapshot(id: string, atMs: number): Promise<Workspace | null> {
    const result = await this.app.transport.invoke('workspaces.snapshot', { id, atMs })
    if (result.ok) return result.value
    this.app.tell(result.error)
    return null
  }

  /** The window is closing: sends pending changes and ends the stream. */
  dispose(): void {
    this.flush()
    clearTimeout(this.#timer)
    clearTimeout(this.#lateTimer)
    this.#close()
  }
}
