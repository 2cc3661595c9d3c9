\set aid random(1, 100000 * :scale)
\set b abs(-3) + :aid % 7 \
 * 2
\if :b > 5
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :b WHERE aid = :aid;
\elif :b = 2
SELECT 1 AS one \gset
\else
\sleep 1 ms
\endif
END;
\setrandom old 1 2
