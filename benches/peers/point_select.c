/* A bare loop over an ODBC driver: one prepared point select with a number bound, run again and again.
 *
 *   point_select CONNECTION-STRING ROWS COUNT
 *
 * It declares what it calls by itself, so that no headers need to be installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;
short SQLAllocHandle(short, Handle, Handle *);
short SQLSetEnvAttr(Handle, int, void *, int);
short SQLDriverConnect(Handle, Handle, const char *, short, char *, short, short *, unsigned short);
short SQLPrepare(Handle, const char *, int);
short SQLBindParameter(Handle, unsigned short, short, short, short, unsigned long, short, void *, long, long *);
short SQLBindCol(Handle, unsigned short, short, void *, long, long *);
short SQLExecute(Handle);
short SQLFetch(Handle);
short SQLFreeStmt(Handle, unsigned short);
short SQLDisconnect(Handle);

static void check(short code, const char *what) {
    if (code != 0 && code != 1) {
        fprintf(stderr, "%s failed: %d\n", what, code);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    Handle environment, connection, statement;
    check(SQLAllocHandle(1, NULL, &environment), "environment");
    check(SQLSetEnvAttr(environment, 200, (void *)3L, 0), "version");
    check(SQLAllocHandle(2, environment, &connection), "connection");
    check(SQLDriverConnect(connection, NULL, argv[1], -3, NULL, 0, NULL, 0), "connect");
    check(SQLAllocHandle(3, connection, &statement), "statement");
    check(SQLPrepare(statement, "SELECT abalance FROM pgbench_accounts WHERE aid = ?", -3), "prepare");
    long long key = 0, balance = 0, sum = 0;
    long key_length = 0, length = 0;
    check(SQLBindParameter(statement, 1, 1, -25, -5, 19, 0, &key, 8, &key_length), "bind");
    check(SQLBindCol(statement, 1, -25, &balance, 8, &length), "bind");
    long long rows = atoll(argv[2]), count = atoll(argv[3]);
    srand48(42);
    for (long long done = 0; done < count; done++) {
        key = 1 + (long long)(drand48() * rows);
        check(SQLExecute(statement), "execute");
        check(SQLFetch(statement), "fetch");
        sum += balance;
        /* Also the end of the result, as every client that does not know the key must ask for it. */
        if (SQLFetch(statement) != 100) return 1;
        check(SQLFreeStmt(statement, 0), "close");
    }
    printf("%lld selects, sum %lld\n", count, sum);
    SQLDisconnect(connection);
    return 0;
}
