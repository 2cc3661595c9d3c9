"""What pymssql (FreeTDS' db-lib) makes of the scripted TDS server. Argument: port."""
import datetime
import decimal
import sys
import threading

import pymssql


def connect(**more):
    return pymssql.connect(
        server="127.0.0.1", port=sys.argv[1], user="sa", password="Secret1!", database="tacho", login_timeout=20, **more
    )


one, other = connect(), connect(autocommit=True)
a, b = one.cursor(), other.cursor()
b.execute("CREATE TABLE t (id int PRIMARY KEY, d decimal(12,2), at datetime2)")
a.execute("INSERT INTO t VALUES (%d, %s, %s)", (1, decimal.Decimal("0.10"), datetime.datetime(2020, 1, 2, 3, 4, 5)))
b.execute("SELECT count(*) FROM t")
assert b.fetchall() == [(0,)], "only what is committed is seen"
b.execute("SET LOCK_TIMEOUT 50")
try:
    b.execute("DELETE FROM t")
    raise AssertionError("another transaction writes")
except pymssql.Error as problem:
    assert problem.args[0] == 1222, problem
timer = threading.Timer(0.3, one.commit)
b.execute("SET LOCK_TIMEOUT -1")
timer.start()
b.execute("UPDATE t SET d = d + 1")
assert b.rowcount == 1, b.rowcount
timer.join()
b.execute("SELECT d, at FROM t")
assert b.fetchall() == [(decimal.Decimal("1.10"), datetime.datetime(2020, 1, 2, 3, 4, 5))]
b.execute("DECLARE @x int = 5; SELECT @x = @x + id FROM t; IF @x > 5 BEGIN SELECT @x AS x END")
assert b.fetchall() == [(6,)]
b.execute("BEGIN TRY INSERT INTO t (id) VALUES (1) END TRY BEGIN CATCH SELECT error_number() END CATCH")
assert b.fetchall() == [(2627,)]
