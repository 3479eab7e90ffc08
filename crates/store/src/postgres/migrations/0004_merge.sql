-- Schema version 4. Segments become one in steps, each a short transaction.

-- A merge that has begun: `sources` become `target`, which nobody reads before it is a row of `segment`. Terms below `next`
-- are written. With `is_done` all are, and blocks of `sources` are being deleted. `begun` is the version of the agent then:
-- chunks that are gone since then may be in the target.
CREATE TABLE merge (
    agent bigint NOT NULL,
    generation bigint NOT NULL,
    target bigint NOT NULL,
    sources bigint[] NOT NULL,
    first_chunk bigint NOT NULL,
    last_chunk bigint NOT NULL,
    begun bigint NOT NULL,
    next bigint NOT NULL,
    bytes bigint NOT NULL,
    is_done boolean NOT NULL,
    PRIMARY KEY (agent, generation)
);

-- With which version of the agent the chunk went.
ALTER TABLE lex_dead ADD COLUMN seq bigint NOT NULL DEFAULT 0;

-- Merges leave dead rows in both: not a fifth of the table, as is usual, but a twentieth may be dead.
ALTER TABLE lex SET (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 500,
    toast.autovacuum_vacuum_scale_factor = 0.05,
    toast.autovacuum_vacuum_threshold = 500
);
ALTER TABLE segment SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 100);

ALTER TABLE merge ENABLE ROW LEVEL SECURITY;
ALTER TABLE merge FORCE ROW LEVEL SECURITY;
CREATE POLICY agent ON merge USING (agent = current_setting('openclaw.agent')::bigint);
