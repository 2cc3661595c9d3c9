\set n 0
\if :n = 0 and not (:n is null)
SELECT 1;
  \if false
SELECT 2;
  \else
    \set n :n + 1
SELECT :n;
  \endif
\endif
\sleep 10 us
ROLLBACK;
