import type { Migration } from './migration.ts'

/** Adds labels, bookmarks and replay snapshots. */
export const labelsAndSnapshots: Migration = {
  version: 2,
  name: 'review',
  up(db) {
    db.exec(`
-- Service clock minus local clock when the gap opened, ms; null: not measured.
ALTER TABLE gap ADD COLUMN skew_ms REAL;

-- What the user says of a recording. No evidence: it may change, and is in no chain.
CREATE TABLE label (
  recording INTEGER PRIMARY KEY, name TEXT NOT NULL, notes TEXT NOT NULL, tags TEXT NOT NULL,
  pinned INTEGER NOT NULL, binned_ms REAL) STRICT;

CREATE TABLE bookmark (
  id INTEGER PRIMARY KEY, recording INTEGER NOT NULL, at_ms REAL NOT NULL, seq INTEGER, text TEXT NOT NULL) STRICT;
CREATE INDEX bookmark_order ON bookmark (recording, at_ms);

-- State of the market after a seq of a recording, so that a replay need not begin at its start.
CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY, recording INTEGER NOT NULL, seq INTEGER NOT NULL, wall_ms REAL NOT NULL,
  version INTEGER NOT NULL, sum BLOB NOT NULL, data BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX snapshot_order ON snapshot (recording, seq);
`)
  },
}
