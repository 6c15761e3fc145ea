import type { Migration } from './migration.ts'

/** The first format: journal, sealed blocks and ledger. */
export const firstFormat: Migration = {
  version: 1,
  name: 'first',
  before(db) {
    // Blocks are about 10 KB and waste half of their last page on average, so small pages keep the file small.
    db.pragma('page_size = 2048')
    db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma('secure_delete = ON')
  },
  up(db) {
    db.exec(`
-- What happened to the store as a whole; each row's hash covers the row before it.
CREATE TABLE store_log (n INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;

-- Listed from store_log, but for sealed_seq: up to it messages are in blocks, after it in the journal.
CREATE TABLE recording (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, source TEXT NOT NULL, started_ms REAL NOT NULL,
  ended_ms REAL, clean INTEGER NOT NULL, sealed_seq INTEGER NOT NULL, summary TEXT) STRICT;

CREATE TABLE connection (
  recording INTEGER NOT NULL, conn INTEGER NOT NULL, feed TEXT NOT NULL,
  PRIMARY KEY (recording, conn)) STRICT, WITHOUT ROWID;

-- Leaves of what is sealed, folded: sizes of the flushes and the head after the last. Conn 0: the entries.
CREATE TABLE chain (
  recording INTEGER NOT NULL, conn INTEGER NOT NULL, part INTEGER NOT NULL,
  flushes BLOB NOT NULL, head BLOB NOT NULL,
  PRIMARY KEY (recording, conn, part)) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
  recording INTEGER NOT NULL, seq INTEGER NOT NULL, wall_ms REAL NOT NULL, mono_ns REAL NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (recording, seq)) STRICT, WITHOUT ROWID;

CREATE TABLE gap (
  recording INTEGER NOT NULL, from_seq INTEGER NOT NULL, feed TEXT NOT NULL, cause TEXT NOT NULL, symbols TEXT NOT NULL,
  from_ms REAL NOT NULL, to_ms REAL, to_seq INTEGER,
  PRIMARY KEY (recording, from_seq)) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  id INTEGER PRIMARY KEY, recording INTEGER NOT NULL, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,
  torn INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX journal_order ON journal (recording, first_seq);

CREATE TABLE series (
  id INTEGER PRIMARY KEY, recording INTEGER NOT NULL, feed TEXT NOT NULL, instrument TEXT NOT NULL,
  symbols TEXT NOT NULL, rolled_seq INTEGER NOT NULL,
  UNIQUE (recording, feed, instrument)) STRICT;

CREATE TABLE block (
  id INTEGER PRIMARY KEY, series INTEGER NOT NULL, min_seq INTEGER NOT NULL, max_seq INTEGER NOT NULL,
  min_ms REAL NOT NULL, max_ms REAL NOT NULL, count INTEGER NOT NULL,
  control INTEGER NOT NULL, undecodable INTEGER NOT NULL, unasked INTEGER NOT NULL,
  size INTEGER NOT NULL, sum BLOB NOT NULL, data BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX block_order ON block
  (series, min_seq, max_seq, min_ms, max_ms, count, control, undecodable, unasked, size);

-- An hour of one-minute bars of a series, each kind of record.
CREATE TABLE rollup (
  id INTEGER PRIMARY KEY, series INTEGER NOT NULL, hour_ms INTEGER NOT NULL, sum BLOB NOT NULL, data BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX rollup_order ON rollup (series, hour_ms);
`)
  },
}
