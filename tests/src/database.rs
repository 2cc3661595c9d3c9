//! Prepared databases, which tests copy, and functions that read and change the contents of a database.
//!
//! Start reading at [`Prepared`] and [`Data`].

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::{Call, Folder, binary};

/// Columns that contain dates, so their values are different after each load.
const DATES: [&str; 4] = ["c_since", "h_date", "o_entry_d", "ol_delivery_d"];

/// A database that each test program prepares once. Each test gets a copy of it.
pub struct Prepared {
    name: &'static str,
    workload: &'static str,
    options: &'static str,
    path: OnceLock<PathBuf>,
}

impl Prepared {
    /// Describes a `tprocc` database that is prepared with these options. No other database of the test program may have this
    /// `name`.
    pub const fn new(name: &'static str, options: &'static str) -> Self {
        Self::of("tprocc", name, options)
    }

    /// Describes a database of any workload, like [`Self::new`].
    pub const fn of(workload: &'static str, name: &'static str, options: &'static str) -> Self {
        Self { name, workload, options, path: OnceLock::new() }
    }

    /// Copies the database into a folder.
    pub fn copy_to(&self, folder: &Folder, name: &str) {
        let base = self.path.get_or_init(|| self.prepare());
        fs::copy(base, folder.file(name)).expect("a database can be copied");
    }

    /// Creates a folder that contains a copy of the database, named `a.db`.
    pub fn folder(&self) -> Folder {
        let folder = Folder::new();
        self.copy_to(&folder, "a.db");
        folder
    }

    /// Prepares the database in cargo's output folder. A temporary file would never be deleted, because statics are
    /// never dropped.
    fn prepare(&self) -> PathBuf {
        let program = std::env::current_exe().expect("the path of the test program");
        let stem = program.file_stem().expect("a name").to_string_lossy().into_owned();
        let topic = stem.rsplit_once('-').map_or(stem.as_str(), |(topic, _)| topic);
        let folder = binary::results().join("tacho-tests").join(topic);
        fs::create_dir_all(&folder).expect("a folder for databases");
        // Another process may be creating the same database. Until the file is complete, its name therefore contains
        // the process ID.
        let file = format!("{}-{}.db", self.name, std::process::id());
        let Self { name, workload, options, .. } = self;
        let line = format!("prepare {workload} 'sqlite:{file}?synchronous=off' {options}");
        Call::new(&folder, &line).exits(0);
        let ready = folder.join(format!("{name}.db"));
        fs::rename(folder.join(file), &ready).expect("a database takes the place of another");
        ready
    }
}

/// Access to a database file.
pub struct Data(Connection);

impl Data {
    /// Opens an existing file.
    pub fn open(path: &Path) -> Self {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE);
        Self(connection.expect("the database opens"))
    }

    /// Runs a script.
    pub fn run(&self, sql: &str) {
        self.0.execute_batch(sql).expect("the script runs");
    }

    /// Runs a statement, which is allowed to fail. Returns the number of changed rows.
    pub fn attempt(&self, sql: &str) -> Option<i64> {
        self.0.execute(sql, []).ok().map(|count| count as i64)
    }

    /// Returns a single number.
    pub fn number(&self, sql: &str) -> i64 {
        self.0.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    /// Returns the strings in the only column that `sql` selects.
    pub fn texts(&self, sql: &str) -> Vec<String> {
        let mut statement = self.0.prepare(sql).expect("a query");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|text| text.expect("a text")).collect()
    }

    /// Returns the names of all tables.
    pub fn tables(&self) -> Vec<String> {
        self.texts("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")
    }

    /// Returns the schema, and for each table the number of rows and a checksum that does not depend on their order.
    pub fn fingerprint(&self) -> Vec<String> {
        let mut lines = self.texts("SELECT coalesce(sql, name) FROM sqlite_master ORDER BY 1");
        lines.retain(|line| !line.contains("sqlite_"));
        let tables = self.tables();
        lines.extend(tables.iter().map(|table| self.table_fingerprint(table)));
        lines
    }

    fn table_fingerprint(&self, table: &str) -> String {
        let columns = self.texts(&format!("SELECT name FROM pragma_table_info('{table}')"));
        let loaded = "(SELECT v FROM tacho_marker WHERE k = 'loaded_at')";
        let is_date = |name: &str| DATES.contains(&name);
        let since = |name: &String| format!("{name} - {loaded}");
        let column = |name: &String| if is_date(name) { since(name) } else { name.clone() };
        let list: Vec<String> = columns.iter().map(column).collect();
        let rest = if table == "tacho_marker" { "WHERE k <> 'loaded_at'" } else { "" };
        let sql = format!("SELECT {} FROM {table} {rest}", list.join(", "));
        let (count, sum) = self.rows(&sql, columns.len());
        format!("{table}: {count} rows, {sum:016x}")
    }

    fn rows(&self, sql: &str, width: usize) -> (u64, u64) {
        let mut statement = self.0.prepare(sql).expect("a query");
        let mut rows = statement.query([]).expect("rows");
        let (mut count, mut sum) = (0, 0_u64);
        while let Some(row) = rows.next().expect("a row") {
            let mut hasher = DefaultHasher::new();
            for column in 0..width {
                hash(row.get_ref(column).expect("a value"), &mut hasher);
            }
            count += 1;
            sum = sum.wrapping_add(hasher.finish());
        }
        (count, sum)
    }
}

fn hash(value: ValueRef<'_>, hasher: &mut DefaultHasher) {
    match value {
        ValueRef::Null => 0_u8.hash(hasher),
        ValueRef::Integer(number) => (1_u8, number).hash(hasher),
        ValueRef::Real(number) => (2_u8, number.to_bits()).hash(hasher),
        ValueRef::Text(bytes) => (3_u8, bytes).hash(hasher),
        ValueRef::Blob(bytes) => (4_u8, bytes).hash(hasher),
    }
}
