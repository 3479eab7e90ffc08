-- Schema version 12. What the user had forgotten, for all gateways of an agent: each keeps the same list on its disk, and that of a
-- container may be empty. Engines of version 8 follow their own list only.

-- One act of forgetting. `entries`: its lines of the list, with hashes of what is forgotten and never the text. `is_final`: it is never
-- taken back. `is_undone`: it was; the row stays, so that a gateway that was away does not tell it again.
CREATE TABLE forgotten (
    agent bigint NOT NULL,
    id text NOT NULL,
    entries text NOT NULL,
    is_final boolean NOT NULL,
    is_undone boolean NOT NULL,
    PRIMARY KEY (agent, id)
);

ALTER TABLE forgotten ENABLE ROW LEVEL SECURITY;
ALTER TABLE forgotten FORCE ROW LEVEL SECURITY;
CREATE POLICY agent ON forgotten USING (agent = current_setting('openclaw.agent')::bigint);
