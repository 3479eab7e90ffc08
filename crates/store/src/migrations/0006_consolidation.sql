-- Schema version 6. Consolidation: claims with the evidence for each, and runs that can be undone.
CREATE TABLE claim (
    id TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL,
    -- The note where it was read last; empty when it was said and stands in no note.
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    origin TEXT NOT NULL,
    requested INTEGER NOT NULL,
    importance INTEGER,
    triggers TEXT,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    -- Somebody took it out of memory: it does not come back.
    withdrawn INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_last ON claim (last_ms);
-- One row a use: the same question on the same day counts once, however often it is asked.
CREATE TABLE claim_use (
    claim TEXT NOT NULL,
    kind TEXT NOT NULL,
    mark TEXT NOT NULL,
    day TEXT NOT NULL,
    -- The replay that added it; empty for what happened while this engine looked on.
    batch TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (claim, kind, mark, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_use_batch ON claim_use (batch) WHERE batch <> '';
CREATE TABLE consolidation_run (
    id TEXT NOT NULL PRIMARY KEY,
    state TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    month TEXT NOT NULL,
    plan TEXT NOT NULL,
    -- The files before and after; gone when the run is too old to be undone.
    images TEXT,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- When the next run by itself is due, and who is at it.
CREATE TABLE consolidation_clock (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    schedule TEXT NOT NULL,
    due_ms INTEGER NOT NULL,
    holder TEXT NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT;
