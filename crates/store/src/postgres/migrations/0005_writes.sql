-- Schema version 5. The last writes, by numbers that they chose themselves, the latest first: whoever lost the answer to a
-- COMMIT finds its own or does not. After a crash both the version and the number of the transaction may be another's.
ALTER TABLE agent ADD COLUMN writes bigint[] NOT NULL DEFAULT '{}';
