-- Schema version 4. `openai/` in front of a model is how routers name it, and no part of the space: the vectors that were
-- made at a router's address are those of the model at any other address.
CREATE TEMP TABLE renamed AS
    SELECT id, key AS old_key, dims, '{"provider":"openai","model":"' || substr(key, 38) AS new_key
    FROM space WHERE substr(key, 1, 37) = '{"provider":"openai","model":"openai/';

UPDATE batch_job SET space = (SELECT new_key FROM renamed WHERE old_key = batch_job.space)
    WHERE space IN (SELECT old_key FROM renamed);

-- Where the model was asked at both addresses, its vectors go together.
UPDATE OR IGNORE embedding
    SET space_id = (
        SELECT space.id FROM renamed JOIN space ON space.key = renamed.new_key WHERE renamed.id = embedding.space_id
    )
    WHERE space_id IN (SELECT renamed.id FROM renamed JOIN space ON space.key = renamed.new_key AND space.dims = renamed.dims);

UPDATE OR IGNORE space SET key = (SELECT new_key FROM renamed WHERE renamed.id = space.id)
    WHERE id IN (SELECT id FROM renamed);

DROP TABLE renamed;
