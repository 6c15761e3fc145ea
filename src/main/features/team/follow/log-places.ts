/** Where the log has the frames of a session, as far as they may have to be read again. Pure. */

interface Place {
  /** Of the frame. */
  readonly lastSeq: number
  /** Of its message in the log. */
  readonly sequence: number
}

export class LogPlaces {
  /** By both. The first one is the last frame that is stored; those behind it aren't yet. */
  #places: Place[] = []

  /** A frame was taken. `storedSeq`: the last durable seq. */
  note(place: Place, storedSeq: number): void {
    // A frame that comes again is in a stream that was made again, so later places no longer count.
    while ((this.#places.at(-1)?.lastSeq ?? 0) >= place.lastSeq) this.#places.pop()
    this.#places.push(place)
    const waiting = this.#places.findIndex(({ lastSeq }) => lastSeq > storedSeq)
    this.#places.splice(0, (waiting < 0 ? this.#places.length : waiting) - 1)
  }

  /** The message of the last known frame that ends at this seq or before it; null: none is known. */
  before(seq: number): { readonly sequence: number } | null {
    const found = this.#places.findLast(({ lastSeq }) => lastSeq <= seq)
    return found === undefined ? null : { sequence: found.sequence }
  }
}
