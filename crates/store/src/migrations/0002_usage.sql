-- Schema version 2. What embedding cost, a row a day and model; `needed` and `embedded` count the texts of new chunks
-- and those of them that had to be sent.
CREATE TABLE usage (
    day TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    texts INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    needed INTEGER NOT NULL,
    embedded INTEGER NOT NULL,
    PRIMARY KEY (day, provider, model)
) STRICT, WITHOUT ROWID;
