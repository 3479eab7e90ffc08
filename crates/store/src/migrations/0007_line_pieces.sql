-- Schema version 7. What the single lines of a text say piece by piece, made by a model in this process beside their codes:
-- of each line the number of its word pieces as a byte, then one bit a dimension of each.
CREATE TABLE line_pieces (
    space_id INTEGER NOT NULL,
    hash BLOB NOT NULL,
    signs BLOB NOT NULL,
    PRIMARY KEY (space_id, hash)
) STRICT;
