-- Schema version 1. Every key begins with the agent, so that tables can be partitioned or distributed by it. Times are
-- milliseconds since the epoch. `openclaw.tenant` and `openclaw.agent` are set for each transaction; unset they are an
-- error, not all rows.

-- `owner` to `expires_ms`: who may index, by the clock of the database; `token` grows with every change of owner. `version`
-- grows with every write, and `next_id` is the next id of a file, chunk, generation or segment.
CREATE TABLE agent (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL CHECK (tenant <> ''),
    name text NOT NULL,
    owner text,
    pid bigint NOT NULL DEFAULT 0,
    host text NOT NULL DEFAULT '',
    boot_id text NOT NULL DEFAULT '',
    token bigint NOT NULL DEFAULT 0,
    expires_ms bigint NOT NULL DEFAULT 0,
    version bigint NOT NULL DEFAULT 0,
    next_id bigint NOT NULL DEFAULT 1,
    UNIQUE (tenant, name)
);

-- One index of the whole workspace. `identity` says what forces a new one; `chunks` and `hashed` are sums that are kept.
CREATE TABLE generation (
    agent bigint NOT NULL,
    id bigint NOT NULL,
    identity text NOT NULL,
    state text NOT NULL CHECK (state IN ('building', 'live', 'retired')),
    created_ms bigint NOT NULL,
    chunks bigint NOT NULL DEFAULT 0,
    hashed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, id)
);
-- At most one generation answers searches, and at most one is being built.
CREATE UNIQUE INDEX generation_live ON generation (agent) WHERE state = 'live';
CREATE UNIQUE INDEX generation_building ON generation (agent) WHERE state = 'building';

CREATE TABLE file (
    agent bigint NOT NULL,
    id bigint NOT NULL,
    generation bigint NOT NULL,
    source text NOT NULL,
    path text NOT NULL,
    hash bytea NOT NULL,
    mtime_ns bigint NOT NULL,
    size bigint NOT NULL,
    lines bigint NOT NULL,
    terms bigint NOT NULL,
    indexed_ms bigint NOT NULL,
    PRIMARY KEY (agent, id),
    UNIQUE (agent, generation, source, path)
);

-- `hash` is what embeddings are found by; NULL = nothing to embed. `body` is UTF-8, and no `text`, which cannot hold a zero.
CREATE TABLE chunk (
    agent bigint NOT NULL,
    id bigint NOT NULL,
    generation bigint NOT NULL,
    file bigint NOT NULL,
    start_line bigint NOT NULL,
    end_line bigint NOT NULL,
    hash bytea,
    body bytea NOT NULL,
    lines bytea NOT NULL,
    PRIMARY KEY (agent, id)
);
CREATE INDEX chunk_file ON chunk (agent, file);
CREATE INDEX chunk_hash ON chunk (agent, generation, hash);

-- Which chunks hold a term: see blocks/mod.rs. A segment has the chunks from the first to the last, is never changed, and
-- segments of a generation do not overlap.
CREATE TABLE segment (
    agent bigint NOT NULL,
    generation bigint NOT NULL,
    id bigint NOT NULL,
    first_chunk bigint NOT NULL,
    last_chunk bigint NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (agent, generation, id)
);
CREATE TABLE lex (
    agent bigint NOT NULL,
    generation bigint NOT NULL,
    segment bigint NOT NULL,
    first bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (agent, generation, segment, first)
) WITH (toast_tuple_target = 8160);
-- Two blocks fill a page, and their numbers do not get smaller by compression.
ALTER TABLE lex ALTER COLUMN data SET STORAGE EXTERNAL;
-- Chunks that are gone, and still in a segment.
CREATE TABLE lex_dead (
    agent bigint NOT NULL,
    generation bigint NOT NULL,
    chunk bigint NOT NULL,
    PRIMARY KEY (agent, generation, chunk)
);

ALTER TABLE agent ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON agent USING (tenant = current_setting('openclaw.tenant'));
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['generation', 'file', 'chunk', 'segment', 'lex', 'lex_dead'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY agent ON %I USING (agent = current_setting(''openclaw.agent'')::bigint)', name);
    END LOOP;
END
$$;
