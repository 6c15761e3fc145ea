/** Controls drawing on one chart: the editor, the drawings shown, and the actions of menus and keys. */
import { untrack } from 'svelte'
import { handlesOf } from '../../../shared/features/drawings/editor/hit.ts'
import { cycled } from '../../../shared/features/drawings/editor/keys.ts'
import { draftOf } from '../../../shared/features/drawings/editor/placing.ts'
import {
  AT_REST,
  EDITOR_KEYS,
  type EditorEvent,
  type EditorKey,
  type EditorState,
  type Outcome,
  type Surroundings,
} from '../../../shared/features/drawings/editor/state.ts'
import { edited } from '../../../shared/features/drawings/editor/editor.ts'
import type { Pixel } from '../../../shared/features/drawings/editor/figure-parts.ts'
import { allChanged, changed, ordered, without, type OrderStep } from '../../../shared/features/drawings/lists.ts'
import {
  defaultStyle,
  type Drawing,
  type DrawingKind,
  type DrawingMarket,
  type DrawingPoint,
  isWritten,
  type DrawingStyle,
} from '../../../shared/features/drawings/types.ts'
import { MAX_DRAWING_TEMPLATES, type DrawingTemplate } from '../../../shared/features/drawings/settings.ts'
import type { DrawingSettings } from '../../../shared/features/drawings/settings.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'
import { drawingPhrase } from '../../../shared/features/drawings/texts.ts'
import type { ChartSurface } from '../../charts/drawings/surface.ts'
import type { DrawingCommands, DrawingsBook, InstrumentDrawings } from './drawings.svelte.ts'

const isEditorKey = (key: string): key is EditorKey => (EDITOR_KEYS as readonly string[]).includes(key)
/** Offset of a copy from its original, px. */
const COPY_PX = 18
const RECENT = 4

/** A style as settings have it. Without colors of levels it says so, because settings are merged. */
const writable = ({ levels = [], ...style }: DrawingStyle): DrawingTemplate['style'] => ({
  ...style,
  levels: [...levels],
})

export class DrawingController implements DrawingCommands {
  readonly #book: DrawingsBook
  #of = $state.raw<InstrumentDrawings | null>(null)
  state = $state.raw<EditorState>(AT_REST)
  surface = $state.raw<ChartSurface | null>(null)
  /** The clock of a replay, UTC ms; null for the live market. */
  asOf = $state<number | null>(null)
  /** In a replay, also show drawings made after its clock. */
  showLater = $state(false)
  /** The drawing whose text is being edited. */
  writing = $state<string | null>(null)
  /** Position of the selected drawing's open menu, px in the chart. */
  menu = $state.raw<Pixel | null>(null)
  /** The last announcement for screen readers. */
  said = $state('')
  /** Increases when the chart's view changes; positions of floating elements depend on it. */
  view = $state(0)

  /** The chart's element, which has the keyboard focus. */
  host: HTMLElement | null = null

  constructor(book: DrawingsBook) {
    this.#book = book
  }

  /** Shows the drawings of an instrument in a market; returns the stop function. */
  follow(market: DrawingMarket, instrument: InstrumentId): () => void {
    this.#of = this.#book.take(market, instrument)
    this.state = { ...AT_REST, tool: this.state.tool }
    this.writing = null
    this.menu = null
    this.#book.controller ??= this
    return () => this.#book.release(market, instrument)
  }

  /** Makes window commands go to this chart. */
  use(): void {
    this.#book.controller = this
  }
  close(): void {
    if (this.#book.controller === this) this.#book.controller = null
  }
  focus(): void {
    this.host?.focus()
  }

  /** Call it when the chart's view changed. */
  viewed(): void {
    // Effects call this too, and must not depend on the counter they change.
    untrack(() => this.view++)
  }

  // The drawings shown

  get list(): readonly Drawing[] {
    return this.#of?.list ?? []
  }
  get ready(): boolean {
    return this.#of?.ready ?? false
  }
  /** Whether a drawing was made after the replay's clock, and so reveals what happened later. */
  isLater(drawing: Drawing): boolean {
    return this.asOf !== null && drawing.asOfMs > this.asOf
  }
  isShown = (drawing: Drawing): boolean =>
    !drawing.hidden && !this.settings.hidden && (this.showLater || !this.isLater(drawing))

  readonly later = $derived.by(() => this.list.filter((one) => this.isLater(one)).length)
  readonly selected = $derived.by(() => this.list.find((one) => one.id === this.state.selected) ?? null)
  /** The drawings to paint, lowest first, including the one being edited. */
  readonly shown = $derived.by<readonly Drawing[]>(() => {
    const draft = this.surface ? draftOf(this.state, this.#around()) : null
    const list = this.list.filter(this.isShown)
    if (draft === null) return list
    return list.some((one) => one.id === draft.id)
      ? list.map((one) => (one.id === draft.id ? draft : one))
      : [...list, draft]
  })
  /** The keyboard cursor while keys place points. */
  readonly cursor = $derived.by<DrawingPoint | null>(() => {
    const { mode } = this.state
    if (mode.is === 'placing' && mode.byKeys) return mode.at
    return mode.is === 'brushing' && mode.byKeys ? (mode.points.at(-1) ?? null) : null
  })
  /** Index of the handle that keys move. */
  readonly handle = $derived.by<number | null>(() => {
    const { mode } = this.state
    const { selected, surface } = this
    if (mode.is !== 'points' || !selected || !surface) return null
    return handlesOf(selected, { surface }).length > 0 ? mode.handle : null
  })
  get settings(): DrawingSettings {
    return this.#book.window.settings()
  }
  get canUndo(): boolean {
    return (this.#of?.history.past.length ?? 0) > 0
  }
  get canRedo(): boolean {
    return (this.#of?.history.future.length ?? 0) > 0
  }

  // Events

  #around(): Surroundings {
    const { surface } = this
    // The editor gets no events before the chart is open.
    if (!surface) throw new Error('the chart is not open yet')
    return {
      surface,
      drawings: this.list,
      isShown: this.isShown,
      magnet: this.settings.magnet,
      styleOf: (kind) => this.#styleOf(kind),
      id: this.#peekId,
      asOfMs: this.asOf ?? Date.now(),
    }
  }
  #peekId = crypto.randomUUID().slice(0, 13)
  #takeId(): string {
    const id = this.#peekId
    this.#peekId = crypto.randomUUID().slice(0, 13)
    return id
  }
  #styleOf(kind: DrawingKind): DrawingStyle {
    return this.settings.styles[kind] ?? defaultStyle(kind)
  }

  /** Sends an event to the editor; returns whether the editor handled it. */
  send(event: EditorEvent): boolean {
    if (!this.surface) return false
    return this.#took(edited(this.state, event, this.#around()))
  }
  #took({ state, taken, edit, write, say }: Outcome): boolean {
    this.state = state
    if (say !== undefined) this.said = say
    if (edit) {
      const added = edit.drawings.length > this.list.length
      this.#of?.change(edit.drawings, edit.what, edit.merge ?? null)
      if (added) this.#takeId()
    }
    if (write !== undefined) this.writing = write
    return taken
  }

  /** Handles a key pressed on the chart; returns whether it was for drawings. */
  key(event: KeyboardEvent): boolean {
    if (event.altKey || !this.surface) return false
    const ctrl = event.ctrlKey || event.metaKey
    const mods = { shift: event.shiftKey, ctrl }
    if (ctrl) return this.#chord(event.key.toLowerCase(), event.shiftKey)
    if ((event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) && this.selected) {
      this.openMenuAtSelected()
      return true
    }
    if (event.key === 'F2' && this.selected && !this.selected.locked) {
      this.writing = this.selected.id
      return true
    }
    return isEditorKey(event.key) && this.send({ is: 'key', key: event.key, mods })
  }
  #chord(key: string, shift: boolean): boolean {
    switch (key) {
      case 'z':
        this.#say(shift ? this.redo() : this.undo())
        return true
      case 'y':
        this.#say(this.redo())
        return true
      case 'c':
        return this.copy()
      case 'v':
        return this.paste()
      case 'd':
        return this.duplicate()
      default:
        return false
    }
  }
  #say(text: string): void {
    this.said = text
  }

  choose(tool: DrawingKind | null): void {
    if (tool !== null) {
      const recent = [tool, ...this.settings.recent.filter((one) => one !== tool)].slice(0, RECENT)
      this.#book.window.set({ drawing: { recent, ...(this.settings.hidden ? { hidden: false } : {}) } })
    }
    this.send({ is: 'tool', tool })
  }
  select(id: string | null): void {
    this.send({ is: 'select', id })
  }
  /** Selects the next or previous drawing in view. */
  next(step: 1 | -1): void {
    if (this.surface) this.#took(cycled(this.state, step, this.#around()))
  }
  openMenuAtSelected(): void {
    const { selected, surface } = this
    const at = selected && surface?.toPixel(selected.points[0])
    if (!at || !surface) return
    const { left, top, width, height } = surface.plot
    this.menu = {
      x: Math.max(left, Math.min(at.x, left + width - 40)),
      y: Math.max(top, Math.min(at.y, top + height - 40)),
    }
  }

  // Menu actions

  #change(drawings: readonly Drawing[], what: string, merge: string | null = null): boolean {
    return this.#of?.change(drawings, what, merge) ?? false
  }
  undo(): string {
    const what = this.#of?.undo() ?? null
    this.#settle()
    return what === null ? t('Nothing to undo.') : t('Undone: {what}.', { what })
  }
  redo(): string {
    const what = this.#of?.redo() ?? null
    this.#settle()
    return what === null ? t('Nothing to redo.') : t('Redone: {what}.', { what })
  }
  /** Deselects a drawing that no longer exists and ends its gesture. */
  #settle(): void {
    if (this.state.mode.is !== 'placing') this.state = { ...this.state, mode: { is: 'idle' } }
    if (this.state.selected !== null && !this.selected) this.state = { ...this.state, selected: null }
  }

  restyle(id: string, part: Partial<DrawingStyle>): void {
    const drawing = this.list.find((one) => one.id === id)
    if (!drawing) return
    const style = { ...drawing.style, ...part }
    this.#change(
      changed(this.list, id, { style }),
      t('{what} style changed', { what: drawingPhrase(`drawing.${drawing.kind}`) }),
      `style ${id}`,
    )
    // The next drawing of this kind gets the same style.
    this.#book.window.set({ drawing: { styles: { ...this.settings.styles, [drawing.kind]: writable(style) } } })
  }
  /** Saves a style for drawings of its kind under a name. One with the same name is replaced, and can come back. */
  saveTemplate(name: string, { kind, style }: Drawing): void {
    const { window } = this.#book
    const template = { name, kind, style: writable(style) }
    const isOther = (one: DrawingTemplate): boolean => one.kind !== kind || one.name !== name
    const others = (): DrawingTemplate[] => window.settings().templates.filter(isOther)
    const save = (last: DrawingTemplate): void =>
      window.set({ drawing: { templates: [...others(), last].slice(-MAX_DRAWING_TEMPLATES) } })
    const before = this.settings.templates.find((one) => !isOther(one))
    save(template)
    if (before === undefined) return this.#say(t('Template {name} saved.', { name }))
    window.tell(
      t('Template {name} replaced.', { name }),
      () => save(before),
      () => others().length < window.settings().templates.length,
    )
  }
  /** Deletes a template. It can come back to its place while no other has its name and there is room. */
  deleteTemplate(template: DrawingTemplate): void {
    const { window } = this.#book
    const isSame = ({ kind, name }: DrawingTemplate): boolean => kind === template.kind && name === template.name
    const all = (): readonly DrawingTemplate[] => window.settings().templates
    const save = (templates: DrawingTemplate[]): void => window.set({ drawing: { templates } })
    const at = all().findIndex(isSame)
    save(all().filter((one) => !isSame(one)))
    window.tell(
      t('Template {name} deleted.', { name: template.name }),
      () => save(all().toSpliced(at, 0, template)),
      () => all().length < MAX_DRAWING_TEMPLATES && !all().some(isSame),
    )
  }
  /** Selects the tool of a template, with its style. */
  chooseTemplate({ kind, style }: DrawingTemplate): void {
    this.#book.window.set({ drawing: { styles: { ...this.settings.styles, [kind]: style } } })
    this.choose(kind)
  }
  /** Ends text editing; removes a text drawing that is empty. */
  write(id: string, text: string): void {
    this.writing = null
    const drawing = this.list.find((one) => one.id === id)
    if (!drawing) return
    const now = text.trim()
    if (isWritten(drawing.kind) && now === '') {
      this.select(null)
      this.#change(without(this.list, id), t('Text deleted'), `text ${id}`)
      return
    }
    if (now === drawing.text) return
    this.#change(
      changed(this.list, id, { text: now, asOfMs: this.asOf ?? Date.now() }),
      t('Text changed'),
      `text ${id}`,
    )
  }
  setLocked(id: string, locked: boolean): void {
    this.#change(changed(this.list, id, { locked }), locked ? t('Drawing locked') : t('Drawing unlocked'))
  }
  setHidden(id: string, hidden: boolean): void {
    this.#change(changed(this.list, id, { hidden }), hidden ? t('Drawing hidden') : t('Drawing shown'))
    if (hidden && this.state.selected === id) this.select(null)
  }
  order(id: string, step: OrderStep): void {
    this.#change(ordered(this.list, id, step), t('Order changed'))
  }
  remove(id: string): void {
    const drawing = this.list.find((one) => one.id === id)
    if (!drawing || drawing.locked) return
    if (this.state.selected === id) this.select(null)
    this.#change(without(this.list, id), t('{what} deleted', { what: drawingPhrase(`drawing.${drawing.kind}`) }))
    this.#say(t('{what} deleted.', { what: drawingPhrase(`drawing.${drawing.kind}`) }))
  }
  get allLocked(): boolean {
    return this.list.length > 0 && this.list.every((one) => one.locked)
  }
  lockAll(locked: boolean): void {
    this.#change(allChanged(this.list, { locked }), locked ? t('All locked') : t('All unlocked'))
  }
  hideAll(hidden: boolean): void {
    this.#book.window.set({ drawing: { hidden } })
    if (hidden) this.select(null)
  }
  setMagnet(magnet: boolean): void {
    this.#book.window.set({ drawing: { magnet } })
    this.#say(magnet ? t('Magnet on.') : t('Magnet off.'))
  }
  /** Deletes all drawings of this instrument, even locked ones; can be undone. */
  removeAll(): void {
    const count = this.list.length
    if (count === 0) return
    this.select(null)
    const of = this.#of
    const gone = this.list
    /** Restores the deleted drawings and keeps those drawn since. */
    const restore = (): void => {
      const there = of?.list ?? []
      of?.change([...gone.filter(({ id }) => there.every((one) => one.id !== id)), ...there], t('All restored'))
    }
    if (this.#change([], t('All deleted')))
      this.#book.window.tell(
        t({ one: 'One drawing deleted.', other: '{count} drawings deleted.' }, { count }),
        restore,
        () => this.#book.shows(of),
      )
  }

  copy(): boolean {
    if (!this.selected) return false
    this.#book.clipboard = this.selected
    this.#say(t('{what} copied.', { what: drawingPhrase(`drawing.${this.selected.kind}`) }))
    return true
  }
  /** Pastes the copied drawing next to its original, or into view if that is out of view. */
  paste(): boolean {
    const copied = this.#book.clipboard
    return copied !== null && this.#put(copied)
  }
  duplicate(): boolean {
    return this.selected !== null && this.#put(this.selected)
  }
  #put(drawing: Drawing): boolean {
    const { surface } = this
    if (!surface) return false
    const { plot } = surface
    const pixels = drawing.points.map((point) => surface.toPixel(point))
    const seen = pixels.some(
      (at) =>
        at && at.x >= plot.left && at.x <= plot.left + plot.width && at.y >= plot.top && at.y <= plot.top + plot.height,
    )
    const [first] = pixels
    if (!first) return false
    const by = seen
      ? { x: COPY_PX, y: COPY_PX }
      : { x: plot.left + plot.width / 2 - first.x, y: plot.top + plot.height / 2 - first.y }
    const points = pixels.map(
      (at, i) => (at && surface.toPoint({ x: at.x + by.x, y: at.y + by.y })) ?? drawing.points[i],
    )
    const id = this.#takeId()
    const copy: Drawing = { ...drawing, id, points, locked: false, hidden: false, asOfMs: this.asOf ?? Date.now() }
    if (!this.#change([...this.list, copy], t('{what} copied', { what: drawingPhrase(`drawing.${drawing.kind}`) })))
      return true
    this.select(id)
    this.#say(t('{what} pasted.', { what: drawingPhrase(`drawing.${drawing.kind}`) }))
    return true
  }
}
