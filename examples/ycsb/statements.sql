-- name: read_record(key int) -> (field0 text, field1 text, field2 text, field3 text, field4 text, field5 text, field6 text, field7 text, field8 text, field9 text)
SELECT field0, field1, field2, field3, field4, field5, field6, field7, field8, field9
FROM usertable WHERE ycsb_key = :key

-- name: read_range(first int, last int) -> (ycsb_key int, field0 text, field1 text, field2 text, field3 text, field4 text, field5 text, field6 text, field7 text, field8 text, field9 text)
SELECT ycsb_key, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9
FROM usertable WHERE ycsb_key BETWEEN :first AND :last
ORDER BY ycsb_key

-- One statement for all fields: an update of a field to itself writes the same row version.
-- name: update_field(key int, field int, content text)
UPDATE usertable SET
  field0 = CASE WHEN :field = 0 THEN :content ELSE field0 END,
  field1 = CASE WHEN :field = 1 THEN :content ELSE field1 END,
  field2 = CASE WHEN :field = 2 THEN :content ELSE field2 END,
  field3 = CASE WHEN :field = 3 THEN :content ELSE field3 END,
  field4 = CASE WHEN :field = 4 THEN :content ELSE field4 END,
  field5 = CASE WHEN :field = 5 THEN :content ELSE field5 END,
  field6 = CASE WHEN :field = 6 THEN :content ELSE field6 END,
  field7 = CASE WHEN :field = 7 THEN :content ELSE field7 END,
  field8 = CASE WHEN :field = 8 THEN :content ELSE field8 END,
  field9 = CASE WHEN :field = 9 THEN :content ELSE field9 END
WHERE ycsb_key = :key

-- name: insert_record(key int, a text, b text, c text, d text, e text, f text, g text, h text, i text, j text)
INSERT INTO usertable
  (ycsb_key, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9)
VALUES (:key, :a, :b, :c, :d, :e, :f, :g, :h, :i, :j)

-- name: last_record() -> (ycsb_key int)
SELECT MAX(ycsb_key) FROM usertable

-- name: check_records() -> (ycsb_key int)
SELECT ycsb_key FROM usertable WHERE ycsb_key < 1 OR field0 = '' OR field9 = ''
