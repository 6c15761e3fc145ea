/**
 * The tables of a team's history, by version. Names and meaning are described in docs/decisions/0056-history.md. A
 * migration is never changed once released.
 */
import type { TeamName } from '../names.ts'
import { schemaName } from '../names.ts'

/** Roles that users of the database are granted. They can't log in themselves. */
export const archiverRole = (team: TeamName): string => `${schemaName(team)}_archiver`
export const readerRole = (team: TeamName): string => `${schemaName(team)}_reader`

/** Tables with a partition for each day. */
const BY_DAY = ['block', 'entry_block'] as const

/** SQL that takes a history from version `index` to the next one. Run by the owner, in a transaction. */
export const MIGRATIONS: readonly ((team: TeamName) => string)[] = [first, second]

function first(team: TeamName): string {
  const td = schemaName(team)
  const archiver = archiverRole(team)
  const reader = readerRole(team)
  return `
CREATE SCHEMA ${td};

CREATE TABLE ${td}.meta (version integer NOT NULL, team text NOT NULL);

CREATE TABLE ${td}.session (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE,
  day date NOT NULL,
  shard integer NOT NULL,
  shards integer NOT NULL,
  recorder text NOT NULL,
  source jsonb NOT NULL,
  started_ms double precision NOT NULL,
  epoch bigint NOT NULL,
  last_seq bigint NOT NULL DEFAULT 0,
  sealed_seq bigint NOT NULL DEFAULT 0,
  messages bigint NOT NULL DEFAULT 0,
  entries bigint NOT NULL DEFAULT 0,
  tail_bytes bigint NOT NULL DEFAULT 0,
  ended jsonb,
  complete boolean NOT NULL DEFAULT false,
  removed boolean NOT NULL DEFAULT false,
  CHECK (sealed_seq BETWEEN 0 AND last_seq)
);
CREATE INDEX ON ${td}.session (started_ms);

CREATE TABLE ${td}.connection (
  session bigint NOT NULL REFERENCES ${td}.session,
  conn bigint NOT NULL,
  feed text NOT NULL,
  announced_seq bigint NOT NULL,
  messages bigint NOT NULL,
  head bytea NOT NULL,
  PRIMARY KEY (session, conn)
);

CREATE TABLE ${td}.tail (
  session bigint NOT NULL REFERENCES ${td}.session,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (session, first_seq),
  CHECK (first_seq BETWEEN 1 AND last_seq)
);

CREATE TABLE ${td}.part (
  session bigint NOT NULL REFERENCES ${td}.session,
  part integer NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  messages bigint NOT NULL,
  entries bigint NOT NULL,
  flushes bytea NOT NULL,
  PRIMARY KEY (session, part),
  UNIQUE (session, first_seq)
);

CREATE TABLE ${td}.chain (
  session bigint NOT NULL,
  part integer NOT NULL,
  conn bigint NOT NULL,
  messages bigint NOT NULL,
  head bytea NOT NULL,
  PRIMARY KEY (session, part, conn),
  FOREIGN KEY (session, part) REFERENCES ${td}.part
);

CREATE TABLE ${td}.block (
  day date NOT NULL,
  session bigint NOT NULL,
  part integer NOT NULL,
  feed text NOT NULL,
  instrument text NOT NULL,
  min_seq bigint NOT NULL,
  max_seq bigint NOT NULL,
  min_ms double precision NOT NULL,
  max_ms double precision NOT NULL,
  count integer NOT NULL,
  control integer NOT NULL,
  undecodable integer NOT NULL,
  unasked integer NOT NULL,
  sum bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (day, session, part, feed, instrument, min_seq)
) PARTITION BY RANGE (day);

CREATE TABLE ${td}.entry_block (
  day date NOT NULL,
  session bigint NOT NULL,
  part integer NOT NULL,
  min_seq bigint NOT NULL,
  max_seq bigint NOT NULL,
  count integer NOT NULL,
  sum bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (day, session, part)
) PARTITION BY RANGE (day);

CREATE TABLE ${td}.signature (
  session bigint NOT NULL REFERENCES ${td}.session,
  seq bigint NOT NULL,
  signature bytea NOT NULL,
  PRIMARY KEY (session, seq)
);

CREATE TABLE ${td}.quarantine (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session text NOT NULL,
  shard integer NOT NULL,
  received timestamptz NOT NULL DEFAULT now(),
  code text NOT NULL,
  reason text NOT NULL,
  sha256 bytea NOT NULL,
  data bytea NOT NULL,
  UNIQUE (session, sha256)
);

-- Frames and blocks are compressed already. (Since PostgreSQL 16 this can be said with the column.)
ALTER TABLE ${td}.tail ALTER data SET STORAGE EXTERNAL;
ALTER TABLE ${td}.block ALTER data SET STORAGE EXTERNAL;
ALTER TABLE ${td}.entry_block ALTER data SET STORAGE EXTERNAL;
ALTER TABLE ${td}.quarantine ALTER data SET STORAGE EXTERNAL;

CREATE TABLE ${td}.tick (
  day date NOT NULL,
  session bigint NOT NULL,
  seq bigint NOT NULL,
  feed text NOT NULL,
  symbol text NOT NULL,
  recv_ms double precision NOT NULL,
  event_ms double precision,
  price double precision, size double precision,
  bid double precision, bid_size double precision,
  ask double precision, ask_size double precision,
  open double precision, high double precision, low double precision, close double precision,
  volume double precision,
  PRIMARY KEY (day, session, seq)
) PARTITION BY RANGE (day);

-- Attaching takes a weaker lock than creating the partition in place, so readers and archivers go on.
CREATE FUNCTION ${td}.add_partition(parent text, of_day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE partition text := parent || to_char(of_day, '_YYYYMMDD');
BEGIN
  IF parent NOT IN ('block', 'entry_block', 'tick') THEN RAISE 'no table %', parent; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('${td}'), 1);
  IF to_regclass(format('${td}.%I', partition)) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE ${td}.%I (LIKE ${td}.%I INCLUDING ALL)', partition, parent);
  EXECUTE format('ALTER TABLE ${td}.%I ATTACH PARTITION ${td}.%I FOR VALUES FROM (%L) TO (%L)',
    parent, partition, of_day, of_day + 1);
END $$;

-- Removes the rows of ticks before a day. Blocks hold the same messages.
CREATE FUNCTION ${td}.drop_ticks(before_day date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE partition text; dropped integer := 0;
BEGIN
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = '${td}.tick'::regclass AND c.relname < 'tick' || to_char(before_day, '_YYYYMMDD')
  LOOP
    EXECUTE format('DROP TABLE ${td}.%I', partition);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

-- Takes the blocks of a day out of the history. The detached tables stay until their owner archives or drops them.
CREATE FUNCTION ${td}.detach_day(of_day date) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE parent text; sessions integer;
BEGIN
  IF EXISTS (SELECT FROM ${td}.session WHERE day = of_day AND NOT complete) THEN
    RAISE 'sessions of % are still being archived', of_day;
  END IF;
  FOREACH parent IN ARRAY ARRAY['${BY_DAY.join("', '")}'] LOOP
    IF to_regclass(format('${td}.%I', parent || to_char(of_day, '_YYYYMMDD'))) IS NOT NULL THEN
      EXECUTE format('ALTER TABLE ${td}.%I DETACH PARTITION ${td}.%I', parent, parent || to_char(of_day, '_YYYYMMDD'));
    END IF;
  END LOOP;
  UPDATE ${td}.session SET removed = true WHERE day = of_day AND NOT removed;
  GET DIAGNOSTICS sessions = ROW_COUNT;
  RETURN sessions;
END $$;

REVOKE ALL ON FUNCTION ${td}.add_partition, ${td}.drop_ticks, ${td}.detach_day FROM PUBLIC;
GRANT USAGE ON SCHEMA ${td} TO ${archiver}, ${reader};
GRANT SELECT ON ALL TABLES IN SCHEMA ${td} TO ${archiver}, ${reader};
GRANT INSERT ON ${td}.session, ${td}.connection, ${td}.tail, ${td}.part, ${td}.chain, ${td}.block,
  ${td}.entry_block, ${td}.signature, ${td}.quarantine, ${td}.tick TO ${archiver};
GRANT UPDATE ON ${td}.session, ${td}.connection TO ${archiver};
GRANT DELETE ON ${td}.tail TO ${archiver};
GRANT EXECUTE ON FUNCTION ${td}.add_partition, ${td}.drop_ticks TO ${archiver};
INSERT INTO ${td}.meta VALUES (0, '${team}');
`
}

/** Tells one database from another, also after it was restored elsewhere. */
function second(team: TeamName): string {
  return `ALTER TABLE ${schemaName(team)}.meta ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid();`
}
