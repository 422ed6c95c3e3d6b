WITH due AS (SELECT id FROM job WHERE state = 'ready' ORDER BY made LIMIT 10 FOR UPDATE SKIP LOCKED)
INSERT INTO account AS a (id, credit) SELECT id, $1::numeric + 1 FROM due
ON CONFLICT (id) WHERE gone IS NULL DO UPDATE SET credit = a.credit + EXCLUDED.credit RETURNING *
