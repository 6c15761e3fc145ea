/** Rendezvous hashing: each shard has a score for each instrument or recorder, and the highest one wins. Pure. */

/** The finalizer of MurmurHash3: every bit of the result depends on every bit of `n`. */
function mix(n: number): number {
  let hash = n
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** FNV-1a over UTF-16 units. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** From 0 to 2^32 - 1. It never changes: stored plans depend on it. */
export const shardScore = (id: string, shard: number): number =>
  mix(hashText(id) ^ mix(Math.imul(shard, 0x9e3779b1))) >>> 0
