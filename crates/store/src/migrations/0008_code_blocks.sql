-- Schema version 8. The quantised vectors of one space, many in one row, in the form that memory holds them: reading them
-- one by one takes most of the time until the first search. A block has the vectors from `first_id` to `last_id`; what is
-- in none is read from `embedding`. `rows` has ids and signs, `codes` a byte a dimension, where memory holds bytes.
CREATE TABLE code_block (
    id INTEGER PRIMARY KEY,
    space_id INTEGER NOT NULL,
    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    has_codes INTEGER NOT NULL,
    rows BLOB NOT NULL,
    codes BLOB
) STRICT;
CREATE UNIQUE INDEX code_block_range ON code_block (space_id, last_id, first_id, has_codes);

-- What is forgotten is in no block either.
CREATE TRIGGER code_block_of_embedding AFTER DELETE ON embedding BEGIN
    DELETE FROM code_block WHERE first_id <= old.id AND id = (
        SELECT id FROM code_block WHERE space_id = old.space_id AND last_id >= old.id ORDER BY last_id LIMIT 1);
END;
