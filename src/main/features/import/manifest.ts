/** Reads and validates the gaps in an export's manifest. */
import { readFile, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { parseBoundedJson } from '../../../shared/base/json-depth.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { GAP_CAUSES } from '../../../shared/core/recording/session.ts'
import { sha256 } from '../../../shared/base/schemas.ts'
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
  schema: v.picklist(['tapedeck/ticks/1', 'tapedeck/ticks/2']),
  sessions: v.array(v.string()),
  sha256,
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

/** The gaps of a file's sessions. */
export interface ManifestGaps {
  readonly sha256: string
  /** Total number of gaps. */
  readonly count: number
  /** The gap-open and gap-close entries of each session, unique and sorted by seq. Sessions are in file order. */
  readonly entries: readonly (readonly StoredEntry[])[]
}

/**
 * Reads a manifest. Returns null if the file is missing, too large or not a tick manifest. Throws `too-large` if a
 * session exceeds MAX_SESSION_GAPS.
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

/** The feed that a manifest names; null if it names none. */
export async function manifestFeed(path: string): Promise<string | null> {
  const about = await stat(path).catch(() => null)
  if (about === null || !about.isFile() || about.size > MAX_BYTES) return null
  const read = v.safeParse(v.looseObject({ feed: v.string() }), parsed(await readFile(path, 'utf8')))
  return read.success ? read.output.feed : null
}

function parsed(json: string): unknown {
  try {
    return parseBoundedJson(json)
  } catch {
    return undefined
  }
}
