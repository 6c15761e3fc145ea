/** The calls and streams of workspaces: documents that windows change and the terminal checks and keeps. */
import * as v from 'valibot'
import type { Workspace } from './document.ts'
import { call, ms, none, text } from '../../rpc/contract.ts'

const id = text(40)

/** Longest text of a workspace that is taken, in characters. */
export const MOST_WORKSPACE_CHARS = 900_000

/** When a state of a workspace was kept, and of how many panes it was. */
export interface SnapshotRow {
  readonly atMs: number
  readonly panes: number
}
export interface WorkspacesState {
  readonly workspaces: readonly Workspace[]
  /** What a further window opens with, by its id. */
  readonly latest: string
  /** By workspace, newest first. */
  readonly snapshots: Readonly<Record<string, readonly SnapshotRow[]>>
}

export const WORKSPACE_CALLS = {
  /**
   * Puts a workspace, as JSON text, in the place of the one with its id, or adds it. What it was is kept as a
   * snapshot now and then, and always with `replaces`. Fails with `bad-arguments` where it is not sound.
   */
  'workspaces.put': call<null>()(
    v.strictObject({ text: text(MOST_WORKSPACE_CHARS), replaces: v.optional(v.boolean(), false) }),
  ),
  /** Fails with `not-allowed` for the last one. Its snapshots stay, so that putting it again brings all back. */
  'workspaces.remove': call<null>()(v.strictObject({ id })),
  /** This one was shown last. */
  'workspaces.show': call<null>()(v.strictObject({ id })),
  /** What a workspace was then. Fails with `not-found`. */
  'workspaces.snapshot': call<Workspace>()(v.strictObject({ id, atMs: ms })),
  /** Ends safe mode: what is kept of panes and looks counts again, in every window. */
  'desk.leaveSafeMode': call<null>()(none),
} as const

export const WORKSPACE_STREAMS = {
  workspaces: call<WorkspacesState>()(none),
} as const
