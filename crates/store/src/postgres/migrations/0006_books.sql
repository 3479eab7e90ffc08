-- Schema version 6. Transcripts, and what is written down beside the index.

-- `part` is UTF-8, and no `text`, which cannot hold a zero.
CREATE TABLE transcript (
    agent bigint NOT NULL,
    generation bigint NOT NULL,
    file bigint NOT NULL,
    session_key text,
    cursor text NOT NULL,
    part_line bigint NOT NULL,
    part bytea NOT NULL,
    final_terms bigint NOT NULL,
    PRIMARY KEY (agent, file)
);

CREATE TABLE skipped (
    agent bigint NOT NULL,
    source text NOT NULL,
    path text NOT NULL,
    code text NOT NULL,
    reason text NOT NULL,
    seen_ms bigint NOT NULL,
    PRIMARY KEY (agent, source, path)
);

CREATE TABLE usage (
    agent bigint NOT NULL,
    day text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    requests bigint NOT NULL,
    texts bigint NOT NULL,
    tokens bigint NOT NULL,
    needed bigint NOT NULL,
    embedded bigint NOT NULL,
    PRIMARY KEY (agent, day, provider, model)
);

CREATE TABLE batch_job (
    agent bigint NOT NULL,
    token text NOT NULL,
    id text,
    space text NOT NULL,
    hashes bytea NOT NULL,
    created_ms bigint NOT NULL,
    PRIMARY KEY (agent, token)
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['transcript', 'skipped', 'usage', 'batch_job'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY agent ON %I USING (agent = current_setting(''openclaw.agent'')::bigint)', name);
    END LOOP;
END
$$;
