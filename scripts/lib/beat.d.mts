export const SILENCE_MS: number
export function createBeat(options: {
  readonly all: number
  readonly now: () => number
  readonly print: (line: string) => void
}): {
  heard(): void
  begin(title: string, isDrawing?: boolean): void
  end(title: string): void
  tick(): void
}
