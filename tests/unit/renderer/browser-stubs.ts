/** What jsdom lacks and components bind to; sizes stay 0 there, so nothing needs to be observed. */
class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResizeObserver
