-- The server knows the names of these columns.
VALUES (7, 'x') \gset v_
TABLE one \gset
SHOW work_mem \gset
(SELECT 3 AS p) \gset
CALL doubled(21) \gset
SELECT CASE WHEN true THEN 'y' ELSE t_b END, 1 + 2 AS q FROM one \GSET c_
\set p :p + 1
SELECT 9 AS p, t_a IS NULL AS r FROM one \aset
SELECT :v_column1, ':v_column2', :t_a, ':t_b', ':work_mem', :p, :d, ':c_t_b', :c_q, ':r';
