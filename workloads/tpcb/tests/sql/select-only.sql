-- session 0
SELECT abalance FROM pgbench_accounts WHERE aid = 184207;

