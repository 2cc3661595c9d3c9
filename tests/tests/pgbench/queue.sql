WITH next AS (
  SELECT id FROM queue WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE queue SET state = 'done' FROM next WHERE queue.id = next.id RETURNING queue.id AS job, payload \gset q_
INSERT INTO counters AS c VALUES (':q_payload', :q_job) ON CONFLICT (name) DO UPDATE SET n = c.n + 1;
