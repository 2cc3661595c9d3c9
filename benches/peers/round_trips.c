/* The least that a client of PostgreSQL can do for a prepared point select, one round trip for each: the same bytes
 * written and what comes back read until the server is ready, with no value looked at.
 *
 *   round_trips blocking|poll TABLES ROWS COUNT
 *
 * `blocking` makes two system calls for each statement, `poll` three, as clients do that wait for a socket and read it
 * afterwards. The server is that of the variables of libpq, which connects and prepares. */
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void fail(const char *what, PGconn *connection) {
    fprintf(stderr, "%s failed: %s\n", what, connection ? PQerrorMessage(connection) : "");
    exit(1);
}

static void length(unsigned char *at, int value) {
    for (int byte = 0; byte < 4; byte++) at[byte] = (unsigned char)(value >> (24 - 8 * byte));
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    int waits = strcmp(argv[1], "poll") == 0;
    int tables = atoi(argv[2]), rows = atoi(argv[3]);
    long count = atol(argv[4]);
    PGconn *connection = PQconnectdb("");
    if (PQstatus(connection) != CONNECTION_OK) fail("connect", connection);
    for (int table = 1; table <= tables; table++) {
        char name[32], sql[128];
        snprintf(name, sizeof name, "p%d", table);
        snprintf(sql, sizeof sql, "SELECT c FROM sbtest%d WHERE id = $1", table);
        PGresult *result = PQprepare(connection, name, sql, 0, NULL);
        if (PQresultStatus(result) != PGRES_COMMAND_OK) fail("prepare", connection);
        PQclear(result);
    }
    int socket = PQsocket(connection);
    if (fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK) != 0) fail("block", NULL);
    static unsigned char request[128], answer[65536];
    srand48(42);
    for (long done = 0; done < count; done++) {
        /* Bind of the unnamed portal, its value and its results in binary; Execute; Sync. */
        unsigned char *at = request;
        *at = 'B';
        unsigned char *body = at + 1;
        at += 5;
        *at++ = 0;
        at += sprintf((char *)at, "p%d", 1 + (int)(drand48() * tables)) + 1;
        memcpy(at, "\0\1\0\1\0\1\0\0\0\4", 10);
        at += 10;
        length(at, 1 + (int)(drand48() * rows));
        at += 4;
        memcpy(at, "\0\1\0\1", 4);
        at += 4;
        length(body, (int)(at - body));
        memcpy(at, "E\0\0\0\11\0\0\0\0\0S\0\0\0\4", 15);
        at += 15;
        if (send(socket, request, (size_t)(at - request), 0) != at - request) fail("send", NULL);
        long have = 0;
        do {
            struct pollfd one = {socket, POLLIN, 0};
            if (waits && poll(&one, 1, -1) != 1) fail("poll", NULL);
            long got = recv(socket, answer + have, sizeof answer - (size_t)have, 0);
            if (got <= 0) fail("recv", NULL);
            have += got;
            /* ReadyForQuery, outside of a transaction, is the end. */
        } while (have < 6 || memcmp(answer + have - 6, "Z\0\0\0\5I", 6) != 0);
        if (answer[0] != '2' || answer[5] != 'D') fail("select: no row", NULL);
    }
    printf("%ld selects\n", count);
    PQfinish(connection);
    return 0;
}
