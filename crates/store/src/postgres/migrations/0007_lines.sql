-- Schema version 7. What a model in the process makes of the lines of a text. It costs nothing, so that it is an agent's.
CREATE TABLE line_vectors (
    agent bigint NOT NULL,
    space bigint NOT NULL,
    hash bytea NOT NULL,
    codes bytea NOT NULL,
    signs bytea NOT NULL,
    PRIMARY KEY (agent, space, hash)
);
ALTER TABLE line_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE line_vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY agent ON line_vectors USING (agent = current_setting('openclaw.agent')::bigint);
