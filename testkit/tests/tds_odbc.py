"""What ODBC drivers make of the scripted TDS server, by pyodbc. Arguments: port, file of the authority."""
import datetime
import decimal
import glob
import importlib.util
import os
import sys

import pyodbc

port, authority = sys.argv[1], sys.argv[2]
mode = sys.argv[3] if len(sys.argv) > 3 else "optional"


def drivers():
    """Microsoft's, out of its package, and that of FreeTDS."""
    found = importlib.util.find_spec("mssql_python_odbc")
    if found:
        folder = os.path.dirname(found.origin)
        for path in glob.glob(folder + "/libs/linux/debian_ubuntu/x86_64/lib/libmsodbcsql-18*"):
            certificate = f"ServerCertificate={authority};" if mode == "strict" else "TrustServerCertificate=yes;"
            yield f"Driver={path};Server=127.0.0.1,{port};Encrypt={mode};{certificate}"
    for path in glob.glob("/usr/lib/*/odbc/libtdsodbc.so") if mode != "strict" else []:
        yield f"Driver={path};Server=127.0.0.1;Port={port};TDS_Version=7.4;ClientCharset=UTF-8;"


def check(place):
    connection = pyodbc.connect(place + "Database=tacho;UID=sa;PWD=Secret1!", timeout=10)
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS o; CREATE TABLE o (id int PRIMARY KEY, d decimal(12,2), s nvarchar(40), t datetime2(3))")
    moment = datetime.datetime(2021, 2, 3, 4, 5, 6)
    for number in range(3):
        cursor.execute("INSERT INTO o VALUES (?, ?, ?, ?)", number, decimal.Decimal("1.25"), f"naïve 数 {number}", moment)
        assert cursor.rowcount == 1, cursor.rowcount
    connection.commit()
    for number in range(3):
        found = cursor.execute("SELECT d, s, t FROM o WHERE id = ?", number).fetchall()
        assert [tuple(row) for row in found] == [(decimal.Decimal("1.25"), f"naïve 数 {number}", moment)], found
    cursor.execute("UPDATE o SET d = d * 2")
    assert cursor.rowcount == 3
    connection.rollback()
    assert cursor.execute("SELECT sum(d), count(*) FROM o").fetchone()[0] == decimal.Decimal("3.75")
    try:
        cursor.execute("INSERT INTO o (id) VALUES (?)", 1)
        raise AssertionError("a key twice")
    except pyodbc.Error as problem:
        assert "2627" in str(problem) or "PRIMARY KEY" in str(problem), problem
    connection.rollback()
    connection.timeout = 1
    cursor = connection.cursor()
    try:
        cursor.execute("WAITFOR DELAY '00:00:30'")
        raise AssertionError("it waits too long")
    except pyodbc.Error as problem:
        assert "imeout" in str(problem), problem
    connection.timeout = 0
    cursor = connection.cursor()
    assert cursor.execute("SELECT 1").fetchone()[0] == 1, "an attention leaves the session whole"
    connection.close()


places = list(drivers())
for place in places:
    check(place)
if not any("msodbcsql" in place for place in places):
    print("NOT TESTED: the TDS server with Microsoft's driver; pip install mssql-python-odbc")
