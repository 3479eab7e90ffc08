-- Schema version 5. A refusal has a date and is asked again some time later. Those of before have none: they are asked
-- again at once.
ALTER TABLE refused_text ADD COLUMN refused_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refused_text ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
