-- Schema version 11. Who has the files that are not the agent's notes: conversations, and what extra paths name. They lie on the
-- disk of one gateway or of several, and leave the index when the last of these has them no more. Engines of version 8 know
-- nothing of it: they take out what is not on their own disk, and whoever has it puts it back.

-- A gateway, by the id of its workspace, which lies beside `store.path`. `seen_ms`: when it last made a pass, to a day, by the
-- clock of the database.
CREATE TABLE holder (
    agent bigint NOT NULL,
    id text NOT NULL,
    host text NOT NULL,
    seen_ms bigint NOT NULL,
    PRIMARY KEY (agent, id)
);

-- What it has. Of a file without a row here it is not known who has it: whoever does not may take it out.
CREATE TABLE held (
    agent bigint NOT NULL,
    holder text NOT NULL,
    source text NOT NULL,
    path text NOT NULL,
    PRIMARY KEY (agent, holder, source, path)
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['holder', 'held'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY agent ON %I USING (agent = current_setting(''openclaw.agent'')::bigint)', name);
    END LOOP;
END
$$;
