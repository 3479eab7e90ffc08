-- Schema version 3. Vectors for searching, of an agent.

-- The quantised vector of each chunk, and its signs. `seq` is the version of the agent that it came with: who has read up
-- to a version goes on from there. `file` is that of the chunk, which is not read for it.
CREATE TABLE code (
    agent bigint NOT NULL,
    generation bigint NOT NULL,
    space bigint NOT NULL,
    seq bigint NOT NULL,
    chunk bigint NOT NULL,
    file bigint NOT NULL,
    code bytea NOT NULL,
    bits bit varying NOT NULL,
    PRIMARY KEY (agent, generation, space, seq, chunk)
) WITH (toast_tuple_target = 8160);
ALTER TABLE code ALTER COLUMN code SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX code_chunk ON code (agent, chunk, space);

-- The order of chunks is read from the index alone.
CREATE INDEX chunk_place ON chunk (agent, file, id);
DROP INDEX chunk_file;

ALTER TABLE code ENABLE ROW LEVEL SECURITY;
ALTER TABLE code FORCE ROW LEVEL SECURITY;
CREATE POLICY agent ON code USING (agent = current_setting('openclaw.agent')::bigint);
