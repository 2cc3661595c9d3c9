-- The marker: what was loaded here, by whom, and how far. Standard SQL, one text for all dialects.

-- name: marker_read() -> (k text, v text)
SELECT k, v FROM tacho_marker ORDER BY k

-- name: marker_write(k text, v text)
INSERT INTO tacho_marker (k, v) VALUES (:k, :v)

-- name: marker_update(k text, v text)
UPDATE tacho_marker SET v = :v WHERE k = :k

-- name: marker_replace(v text, k text, known text)
UPDATE tacho_marker SET v = :v WHERE k = :k AND v = :known

-- name: unit_done(unit int, loaded int)
INSERT INTO tacho_units (unit, loaded) VALUES (:unit, :loaded)

-- name: units_read() -> (unit int, loaded int)
SELECT unit, loaded FROM tacho_units ORDER BY unit
