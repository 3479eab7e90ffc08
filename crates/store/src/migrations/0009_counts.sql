-- Schema version 9. Sums that every pass asks for, kept as rows come and go: counting reads an entry of each.
ALTER TABLE generation ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE generation ADD COLUMN hashed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN embeddings INTEGER NOT NULL DEFAULT 0;
UPDATE generation SET
    chunks = (SELECT count(*) FROM chunk c WHERE c.generation = generation.id),
    hashed = (SELECT count(*) FROM chunk c WHERE c.generation = generation.id AND c.hash IS NOT NULL);
UPDATE space SET embeddings = (SELECT count(*) FROM embedding e WHERE e.space_id = space.id);

CREATE TRIGGER chunk_comes AFTER INSERT ON chunk BEGIN
    UPDATE generation SET chunks = chunks + 1, hashed = hashed + (new.hash IS NOT NULL) WHERE id = new.generation;
END;
CREATE TRIGGER chunk_goes AFTER DELETE ON chunk BEGIN
    UPDATE generation SET chunks = chunks - 1, hashed = hashed - (old.hash IS NOT NULL) WHERE id = old.generation;
END;
CREATE TRIGGER embedding_comes AFTER INSERT ON embedding BEGIN
    UPDATE space SET embeddings = embeddings + 1 WHERE id = new.space_id;
END;
CREATE TRIGGER embedding_goes AFTER DELETE ON embedding BEGIN
    UPDATE space SET embeddings = embeddings - 1 WHERE id = old.space_id;
END;
