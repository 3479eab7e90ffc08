-- Schema version 3. How far each transcript was read, so that only what is new is read again.
-- `part` is the part that still grows, each line after its number; chunks that start below `part_line` are final.
CREATE TABLE transcript (
    file_id INTEGER PRIMARY KEY,
    session_key TEXT,
    cursor TEXT NOT NULL,
    part_line INTEGER NOT NULL,
    part TEXT NOT NULL,
    final_terms INTEGER NOT NULL
) STRICT;

-- However a file leaves the index, nothing of what was said stays behind.
CREATE TRIGGER transcript_of_file AFTER DELETE ON file BEGIN
    DELETE FROM transcript WHERE file_id = OLD.id;
END;
