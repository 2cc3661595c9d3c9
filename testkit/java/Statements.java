import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the statements of a file, which lines with a slash separate, on a database in memory, and prints
 * what each gives: rows, the variables of a CALL, or an error. Arguments: the URL and the file.
 */
public final class Statements {
    public static void main(String[] args) throws Exception {
        String text = Files.readString(Path.of(args[1]));
        try (Connection connection = DriverManager.getConnection(args[0], "SA", "")) {
            for (String sql : text.split("(?m)^/\\s*$")) {
                if (!sql.isBlank()) {
                    run(connection, sql.strip());
                }
            }
        }
    }

    private static void run(Connection connection, String sql) {
        try {
            if (sql.startsWith("CALL")) {
                call(connection, sql);
                return;
            }
            try (Statement statement = connection.createStatement()) {
                if (statement.execute(sql)) {
                    rows(statement.getResultSet());
                }
            }
        } catch (SQLException error) {
            System.out.println("ERROR " + error.getSQLState() + " " + error.getMessage());
        }
    }

    private static void call(Connection connection, String sql) throws SQLException {
        int variables = (int) sql.chars().filter(c -> c == '?').count();
        try (CallableStatement statement = connection.prepareCall(sql)) {
            for (int at = 1; at <= variables; at++) {
                statement.setNull(at, Types.VARCHAR);
                statement.registerOutParameter(at, Types.VARCHAR);
            }
            statement.execute();
            List<String> values = new ArrayList<>();
            for (int at = 1; at <= variables; at++) {
                values.add(String.valueOf(statement.getObject(at)));
            }
            System.out.println(String.join("|", values));
        }
    }

    private static void rows(ResultSet found) throws SQLException {
        while (found.next()) {
            List<String> values = new ArrayList<>();
            for (int at = 1; at <= found.getMetaData().getColumnCount(); at++) {
                values.add(String.valueOf(found.getString(at)));
            }
            System.out.println(String.join("|", values));
        }
    }
}
