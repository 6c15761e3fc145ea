-- Views of a dataset that `tapedeck sync dataset` wrote: duckdb -init examples/dataset.sql
SET TimeZone = 'UTC';

CREATE OR REPLACE VIEW ticks AS
FROM read_parquet('dataset/ticks/**/*.parquet', hive_partitioning = true, union_by_name = true);

CREATE OR REPLACE VIEW gaps AS
FROM 'dataset/gaps/*.parquet';

-- What is there, by feed and symbol.
CREATE OR REPLACE VIEW contents AS
SELECT feed, symbol, count(*) AS messages, min(event_time) AS first, max(event_time) AS last
FROM ticks GROUP BY ALL ORDER BY feed, symbol;
