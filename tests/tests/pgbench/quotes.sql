-- It's a comment; none of these quotes ends anything.
\SET a 5
/* Let's go; */ SELECT 1 AS b \gset
SELECT E'it\'s; :b', :a, $$it's; :b$$, $q$ $$ ' $q$, "a';b" FROM (SELECT :b AS "a';b") q /* /* nested; */ don't */ WHERE :a > 1;
SELECT 1\:\:int, U&'\0061', (ARRAY[1, 2, 3])[1:2], '12:30'::time, :a::text -- it's :a;
;
CREATE OR REPLACE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 2 END; END;
\Sleep 1 US
UPDATE named SET n = :b;
