-- Schema version 9. The notes themselves, where `store.postgres.notes` keeps them here. Engines of version 8 know nothing of
-- them, and may go on.

-- `path` as in the workspace, with `/`. `hash` is the SHA-256 of `body`; both are NULL when the note was deleted. `former`: the
-- first 8 bytes of the hashes that it had before, the latest first, 32 at most: whoever knows one of them has an older version.
CREATE TABLE note (
    agent bigint NOT NULL,
    path text NOT NULL,
    hash bytea,
    body bytea,
    former bytea NOT NULL DEFAULT '',
    modified_ns bigint NOT NULL,
    changed_ms bigint NOT NULL,
    PRIMARY KEY (agent, path),
    CHECK ((hash IS NULL) = (body IS NULL))
);

ALTER TABLE note ENABLE ROW LEVEL SECURITY;
ALTER TABLE note FORCE ROW LEVEL SECURITY;
CREATE POLICY agent ON note USING (agent = current_setting('openclaw.agent')::bigint);
