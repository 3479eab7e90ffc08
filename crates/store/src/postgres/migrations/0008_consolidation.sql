-- Schema version 8. What consolidation keeps, of an agent.

CREATE TABLE claim (
    agent bigint NOT NULL,
    id text NOT NULL,
    -- UTF-8: a `text` cannot hold a zero.
    body bytea NOT NULL,
    -- The note where it was read last; empty when it was said and stands in no note.
    path text NOT NULL,
    line bigint NOT NULL,
    origin text NOT NULL,
    requested boolean NOT NULL,
    importance bigint,
    triggers text,
    first_ms bigint NOT NULL,
    last_ms bigint NOT NULL,
    -- Somebody took it out of memory: it does not come back.
    withdrawn boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent, id)
);

-- `batch` is the replay that added it; empty for what happened while an engine looked on.
CREATE TABLE claim_use (
    agent bigint NOT NULL,
    claim text NOT NULL,
    kind text NOT NULL,
    mark text NOT NULL,
    day text NOT NULL,
    batch text NOT NULL DEFAULT '',
    PRIMARY KEY (agent, claim, kind, mark, day)
);
CREATE INDEX claim_use_batch ON claim_use (agent, batch) WHERE batch <> '';

-- `images`: the files before and after; gone when the run is too old to be undone.
CREATE TABLE consolidation_run (
    agent bigint NOT NULL,
    id text NOT NULL,
    state text NOT NULL,
    started_ms bigint NOT NULL,
    month text NOT NULL,
    plan text NOT NULL,
    images text,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    PRIMARY KEY (agent, id)
);

-- When the next run by itself is due, and who is at it.
CREATE TABLE consolidation_clock (
    agent bigint NOT NULL PRIMARY KEY,
    schedule text NOT NULL,
    due_ms bigint NOT NULL,
    holder text NOT NULL,
    until_ms bigint NOT NULL
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['claim', 'claim_use', 'consolidation_run', 'consolidation_clock'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY agent ON %I USING (agent = current_setting(''openclaw.agent'')::bigint)', name);
    END LOOP;
END
$$;
