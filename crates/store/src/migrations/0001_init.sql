-- Schema version 1. Full-text tables are one per generation and are made by lexical.rs and compat.rs.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One index of the whole workspace. `identity` says what forces a new one (chunking, analyser version).
CREATE TABLE generation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('building', 'live', 'retired')),
    created_ms INTEGER NOT NULL
) STRICT;
-- At most one generation answers searches, and at most one is being built.
CREATE UNIQUE INDEX generation_live ON generation (state) WHERE state = 'live';
CREATE UNIQUE INDEX generation_building ON generation (state) WHERE state = 'building';

CREATE TABLE file (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    generation INTEGER NOT NULL,
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    hash BLOB NOT NULL,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    terms INTEGER NOT NULL,
    indexed_ms INTEGER NOT NULL,
    UNIQUE (generation, source, path)
) STRICT;

-- `hash` is what embeddings are found by; NULL = nothing to embed (blank text).
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    generation INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    hash BLOB,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX chunk_file ON chunk (file_id);
CREATE INDEX chunk_hash ON chunk (generation, hash, file_id);

-- The encoded terms of a chunk's lines. Apart from the text, because together they would leave a third of each page
-- empty.
CREATE TABLE chunk_lines (
    chunk_id INTEGER PRIMARY KEY,
    terms BLOB NOT NULL
) STRICT;

-- Vectors that can be compared with each other. `dims` is known after the first vector.
CREATE TABLE space (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    dims INTEGER
) STRICT;

-- Content-addressed: survives renames, rebuilds, and the generation it was made for. `code` is the quantised copy of
-- `vector` and comes before it: loading all codes then reads the first page of each row only.
CREATE TABLE embedding (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    space_id INTEGER NOT NULL,
    hash BLOB NOT NULL,
    used_ms INTEGER NOT NULL,
    code BLOB NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX embedding_hash ON embedding (space_id, hash);

-- Codes of the single lines of a text, one after the other, made by a model in this process.
CREATE TABLE line_vectors (
    space_id INTEGER NOT NULL,
    hash BLOB NOT NULL,
    codes BLOB NOT NULL,
    PRIMARY KEY (space_id, hash)
) STRICT;

-- Texts that the provider refuses for good; they are not asked again.
CREATE TABLE refused_text (
    space_id INTEGER NOT NULL,
    hash BLOB NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (space_id, hash)
) STRICT, WITHOUT ROWID;

-- Files that discovery or reading left out, shown by status.
CREATE TABLE skipped (
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    code TEXT NOT NULL,
    reason TEXT NOT NULL,
    seen_ms INTEGER NOT NULL,
    PRIMARY KEY (source, path)
) STRICT, WITHOUT ROWID;

-- Who may index. One row; `token` grows with every change of owner.
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    owner TEXT NOT NULL,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    token INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
) STRICT;

-- Jobs at the batch APIs of embedding providers, so that a restart finds them again. `id` is the provider's name of a
-- job and comes later than the row; `hashes` are the SHA-256s of its texts, one after another.
CREATE TABLE batch_job (
    token TEXT PRIMARY KEY,
    id TEXT,
    space TEXT NOT NULL,
    hashes BLOB NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
