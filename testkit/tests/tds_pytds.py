"""What python-tds makes of the scripted TDS server. Arguments: port, file of the authority."""
import datetime
import decimal
import sys

import pytds

port, authority = int(sys.argv[1]), sys.argv[2]
place = dict(dsn="127.0.0.1", port=port, database="tacho", user="sa", timeout=20, login_timeout=20)


def error(function, number):
    try:
        function()
    except pytds.Error as problem:
        assert getattr(problem, "number", number) == number, (problem, number)
        return
    raise AssertionError(f"no error {number}")


def check(connection):
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS t")
        cursor.execute(
            "CREATE TABLE t (id int NOT NULL, big bigint, d decimal(12,2), s varchar(100), n nvarchar(max),"
            " t datetime2(6), day date, f float, b varbinary(20), CONSTRAINT pk PRIMARY KEY CLUSTERED (id))"
        )
        moment = datetime.datetime(2024, 2, 29, 10, 20, 30, 123456)
        row = (1, 2**40, decimal.Decimal("-12.50"), "it's", "数 🦀", moment, moment.date(), 0.5, pytds.Binary(b"\x00\xff"))
        marks = ", ".join(["%s"] * len(row))
        cursor.execute(f"INSERT INTO t VALUES ({marks})", row)
        assert cursor.rowcount == 1, cursor.rowcount
        cursor.execute("SELECT id, big, d, s, n, t, day, f, b FROM t WHERE id = %s", (1,))
        found = cursor.fetchone()
        assert tuple(found) == row, (found, row)
        cursor.execute("UPDATE t SET d = d + 1 OUTPUT inserted.d, inserted.id WHERE id = 1")
        assert cursor.fetchall() == [(decimal.Decimal("-11.50"), 1)]
        cursor.execute("DELETE TOP (1) FROM t OUTPUT deleted.id WHERE id >= 0")
        assert cursor.fetchall() == [(1,)]
        columns = [
            pytds.Column(name="id", type=pytds.tds_types.IntType()),
            pytds.Column(name="s", type=pytds.tds_types.NVarCharType(size=20)),
        ]
        cursor.copy_to(data=[(n, f"row {n}") for n in range(100)], table_or_view="t", columns=columns)
        cursor.execute("SELECT count(*), max(s) FROM t")
        assert cursor.fetchall() == [(100, "row 99")]
        cursor.execute("SELECT id FROM t ORDER BY id OFFSET 10 ROWS FETCH NEXT 2 ROWS ONLY")
        assert cursor.fetchall() == [(10,), (11,)]
        cursor.execute("IF OBJECT_ID(N'dbo.t', N'U') IS NOT NULL SELECT 1 ELSE SELECT 2; SELECT 3")
        assert cursor.fetchall() == [(1,)]
        assert cursor.nextset() and cursor.fetchall() == [(3,)]
        error(lambda: cursor.execute("INSERT INTO t (id) VALUES (5)"), 2627)
        error(lambda: cursor.execute("SELECT 1 FROM absent"), 208)
        error(lambda: cursor.execute("SELECT * FRM t"), 102)
        cursor.execute("BEGIN TRAN; DELETE FROM t; ROLLBACK; SELECT count(*) FROM t")
        while cursor.description is None:
            assert cursor.nextset()
        assert cursor.fetchall() == [(100,)]


with pytds.connect(password="Secret1!", autocommit=True, **place) as connection:
    check(connection)
try:
    import OpenSSL  # noqa: F401
except ImportError:
    print("NOT TESTED: encryption of python-tds, which needs pyOpenSSL")
else:
    with pytds.connect(password="Secret1!", autocommit=True, cafile=authority, validate_host=False, **place) as connection:
        check(connection)
error(lambda: pytds.connect(password="wrong", **place), 18456)
