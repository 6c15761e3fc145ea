/** What the manifest beside an export of ours says of gaps: checked before it is believed. */
import { readFile, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { parseBoundedJson } from '../../../shared/base/json-depth.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { GAP_CAUSES } from '../../../shared/core/recording/recording.ts'
import { FEED_IDS, unixMs } from '../../../shared/base/units.ts'
import { MAX_SESSION_GAPS } from '../../../shared/core/recording/session-bounds.ts'
import type { StoredEntry } from '../../core/store/types/messages.ts'

const MAX_BYTES = 256 << 20
const seq = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
const instant = v.pipe(
  v.string(),
  v.transform((text) => Date.parse(text)),
  v.number(),
  v.finite(),
)
const manifest = v.looseObject({
  schema: v.literal('tapedeck/ticks/1'),
  sessions: v.array(v.string()),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  gaps: v.array(
    v.looseObject({
      session: v.string(),
      feed: v.picklist(FEED_IDS),
      symbols: v.array(v.string()),
      cause: v.picklist(GAP_CAUSES),
      from: instant,
      to: v.nullable(instant),
      from_seq: seq,
      to_seq: v.nullable(seq),
    }),
  ),
})

/** Gaps of a file's recordings, in the order in which the recordings stand in it. */
export interface ManifestGaps {
  readonly sha256: string
  /** How many there are in all. */
  readonly count: number
  /** Of each recording the edges of its gaps, by seq, none twice. */
  readonly entries: readonly (readonly StoredEntry[])[]
}

/**
 * Reads a manifest; null where it is none of ticks, is too large, is no file, or is not there. Throws `too-large` where a
 * session has more gaps than one may.
 */
export async function readManifest(path: string): Promise<ManifestGaps | null> {
  const text = await stat(path)
    .then((about) => (!about.isFile() || about.size > MAX_BYTES ? '' : readFile(path, 'utf8')))
    .catch(() => '')
  const read = v.safeParse(manifest, parsed(text))
  if (!read.success) return null
  const { sha256, sessions, gaps } = read.output
  const ofSession = Map.groupBy(gaps, (gap) => gap.session)
  for (const of of ofSession.values()) {
    if (of.length > MAX_SESSION_GAPS)
      throw new CodedError(
        'too-large',
        `The manifest has more than ${MAX_SESSION_GAPS.toLocaleString('en-US')} gaps.`,
        {
          hint: 'That is the limit of a session. Import the file without its manifest.',
        },
      )
  }
  const entries = sessions.map((session) => {
    const edges = new Map<number, StoredEntry>()
    for (const gap of ofSession.get(session) ?? []) {
      const { feed, cause, symbols, from, to, from_seq: openedSeq, to_seq: closedSeq } = gap
      const fromMs = unixMs(from)
      edges.set(openedSeq, {
        seq: openedSeq,
        wallMs: from,
        monoNs: 0,
        entry: { type: 'gap-open', feed, cause, symbols, fromMs },
      })
      if (to === null || closedSeq === null || closedSeq <= openedSeq) continue
      edges.set(closedSeq, { seq: closedSeq, wallMs: to, monoNs: 0, entry: { type: 'gap-close', feed, openedSeq } })
    }
    return [...edges.values()].sort((a, b) => a.seq - b.seq)
  })
  const named = new Set<string>(sessions)
  return { sha256, count: gaps.filter((gap) => named.has(gap.session)).length, entries }
}

function parsed(json: string): unknown {
  try {
    return parseBoundedJson(json)
  } catch {
    return undefined
  }
}
