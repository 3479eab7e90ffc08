-- Schema version 2. Vectors by content, of a tenant: a text that one of its agents paid for, none of them pays for again.

-- Small facts about an agent's index, by key.
CREATE TABLE meta (
    agent bigint NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (agent, key)
);

-- Vectors that can be compared with each other. `dims` is known after the first vector.
CREATE TABLE space (
    tenant text NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    key text NOT NULL,
    dims bigint,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, key)
);

-- `v` has 32 bits a number and no fixed length: what the provider sent, for all spaces. `code` is its quantised copy.
CREATE TABLE embedding (
    tenant text NOT NULL,
    space bigint NOT NULL,
    hash bytea NOT NULL,
    used_ms bigint NOT NULL,
    code bytea NOT NULL,
    v vector NOT NULL,
    PRIMARY KEY (tenant, space, hash)
);

-- Texts that the provider refuses. One is asked again a day later, then after twice as long each time.
CREATE TABLE refused_text (
    tenant text NOT NULL,
    space bigint NOT NULL,
    hash bytea NOT NULL,
    reason text NOT NULL,
    refused_ms bigint NOT NULL,
    times bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant, space, hash)
);

ALTER TABLE meta ENABLE ROW LEVEL SECURITY;
ALTER TABLE meta FORCE ROW LEVEL SECURITY;
CREATE POLICY agent ON meta USING (agent = current_setting('openclaw.agent')::bigint);
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['space', 'embedding', 'refused_text'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant ON %I USING (tenant = current_setting(''openclaw.tenant''))', name);
    END LOOP;
END
$$;
