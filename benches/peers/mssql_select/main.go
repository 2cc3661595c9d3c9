// A loop over go-mssqldb: one prepared point select with a number bound, run again and again on one connection.
//
//	mssql_select URL ROWS COUNT
package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand"
	"os"
	"strconv"

	_ "github.com/microsoft/go-mssqldb"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) != 4 {
		os.Exit(2)
	}
	rows, err := strconv.ParseInt(os.Args[2], 10, 64)
	check(err)
	count, err := strconv.ParseInt(os.Args[3], 10, 64)
	check(err)
	db, err := sql.Open("sqlserver", os.Args[1])
	check(err)
	connection, err := db.Conn(context.Background())
	check(err)
	const text = "SELECT abalance FROM pgbench_accounts WHERE aid = @p1"
	statement, err := connection.PrepareContext(context.Background(), text)
	check(err)
	random := rand.New(rand.NewSource(42))
	var sum int64
	for done := int64(0); done < count; done++ {
		var balance int64
		check(statement.QueryRow(1 + random.Int63n(rows)).Scan(&balance))
		sum += balance
	}
	fmt.Printf("%d selects, sum %d\n", count, sum)
}
