-- Schema version 10. Where the database compares vectors, it reads the signs of an agent's chunks from an index alone: an
-- eighth of the bytes of the rows.
CREATE INDEX code_signs ON code (agent, generation, space, chunk) INCLUDE (file, bits);
-- An index says nothing of who may see a row: the map of pages that all may see does, and vacuum draws it. A twentieth of the
-- rows may be new, not a fifth as is usual.
ALTER TABLE code SET (autovacuum_vacuum_insert_scale_factor = 0.05);
