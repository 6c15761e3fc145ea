/** Calls and streams of workspaces: documents that windows change and the terminal validates and saves. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import type { Workspace } from './document.ts'
import { call, ms, none } from '../../rpc/contract.ts'

const id = text(40)

/** The most characters in a workspace. */
export const MAX_WORKSPACE_CHARS = 900_000

/** When a workspace was saved, and its number of panes. */
export interface SnapshotRow {
  readonly atMs: number
  readonly panes: number
}
export interface WorkspacesState {
  readonly workspaces: readonly Workspace[]
  /** The id of the workspace that a new window opens with. */
  readonly latest: string
  /** By workspace, newest first. */
  readonly snapshots: Readonly<Record<string, readonly SnapshotRow[]>>
}

export const WORKSPACE_CALLS = {
  /**
   * Replaces the workspace with the same id, or adds one, as JSON text. The previous state is sometimes saved as a
   * snapshot, and always with `replaces`. Fails with `bad-arguments` if it is invalid.
   */
  'workspaces.put': call<null>()(
    v.strictObject({ text: text(MAX_WORKSPACE_CHARS), replaces: v.optional(v.boolean(), false) }),
  ),
  /** Fails with `not-allowed` for the last one. Its snapshots remain, so adding it again restores everything. */
  'workspaces.remove': call<null>()(v.strictObject({ id })),
  /** Records which workspace was shown last. */
  'workspaces.show': call<null>()(v.strictObject({ id })),
  /** The workspace in a snapshot. Fails with `not-found`. */
  'workspaces.snapshot': call<Workspace>()(v.strictObject({ id, atMs: ms })),
  /** Ends safe mode: the saved panes and theme apply again in every window. */
  'desktop.leaveSafeMode': call<null>()(none),
} as const

export const WORKSPACE_STREAMS = {
  workspaces: call<WorkspacesState>()(none),
} as const
