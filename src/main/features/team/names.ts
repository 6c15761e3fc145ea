/** Names of what a team keeps on NATS: streams, subjects and buckets. */
import type { SessionId } from '../../../shared/base/units.ts'

/** A team's name, such as `eu`: part of subjects, streams, buckets and the PostgreSQL schema. */
export type TeamName = string & { readonly __team: true }

/** The highest number of shards of a team. */
export const MAX_SHARDS = 999

const TEAM = /^[a-z][a-z0-9]{0,30}$/

/** Null unless the text is a team's name: 1 to 31 lower-case letters and digits, the first one a letter. */
export const readTeamName = (text: string): TeamName | null => (TEAM.test(text) ? (text as TeamName) : null)

/** A part of a team's instruments, recorded by one account at a time: shard `shard` of `shards`, from 1. */
export interface Shard {
  readonly shard: number
  readonly shards: number
}

/** Reads "2/5"; null if it isn't a shard. */
export function readShard(text: string): Shard | null {
  const match = /^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text)
  if (match === null) return null
  const shard = Number(match[1])
  const shards = Number(match[2])
  return shard <= shards && shards <= MAX_SHARDS ? { shard, shards } : null
}

/** The stream of a shard's frames. */
export const streamName = (team: TeamName, shard: number): string => `TD_${team}_${shard}`

/** Where the frames of a session are published. */
export const frameSubject = (team: TeamName, shard: number, session: SessionId): string =>
  `td.${team}.f.${shard}.${session}`

/** Every frame of a shard. */
export const shardSubjects = (team: TeamName, shard: number): string => `td.${team}.f.${shard}.*`

/** Where the server republishes the frames of a shard once they are in its stream. */
export const liveSubjects = (team: TeamName, shard: number | '*' = '*'): string => `td.${team}.live.${shard}.*`

/** How the server republishes a shard's frames. */
export const republish = (team: TeamName, shard: number): { readonly src: string; readonly dest: string } => ({
  src: shardSubjects(team, shard),
  dest: `td.${team}.live.${shard}.{{wildcard(1)}}`,
})

/** A team's buckets: `sessions` by id, `watermarks` by session, `leases` by shard, `plan`, `reports` by role and process. */
export const BUCKETS = ['sessions', 'watermarks', 'leases', 'plan', 'reports'] as const
export type BucketName = (typeof BUCKETS)[number]

/** A bucket's name on the server. */
export const bucketName = (team: TeamName, bucket: BucketName): string => `td_${team}_${bucket}`

/** The schema of a team in PostgreSQL. */
export const schemaName = (team: TeamName): string => `td_${team}`
