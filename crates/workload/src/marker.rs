//! The marker tables describe the loaded data. They let `prepare` resume an interrupted load, and
//! keep `clean` from dropping tables that do not belong to Tacho.

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_core::{Column, Error, ErrorKind, Result, Seed, Storage, Table, Type};
use tacho_driver::{
    Catalog, Dialect, Exchange, Form, MARKER_TABLE, Object, ObjectKind, Session, StatementId,
    parse_sections,
};

/// Name of the commit mark table.
pub(crate) const MARKS: &str = "tacho_commits";
/// Names of the marker tables.
const TABLES: [&str; 2] = [MARKER_TABLE, "tacho_units"];
const STATEMENTS: [&str; 6] =
    ["marker_read", "marker_write", "marker_update", "unit_done", "units_read", "marker_replace"];
const READ: StatementId = StatementId(0);
const WRITE: StatementId = StatementId(1);
const UPDATE: StatementId = StatementId(2);
const UNIT_DONE: StatementId = StatementId(3);
const UNITS: StatementId = StatementId(4);
const REPLACE: StatementId = StatementId(5);

/// Progress of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerState {
    /// Rows are missing.
    Building,
    /// All rows, indexes and statistics exist.
    Ready,
}

/// Description of the data in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Workload ID.
    pub workload: String,
    /// Version of the workload's data format.
    pub version: u32,
    /// Scale in the workload's steps.
    pub scale: u64,
    /// Profile.
    pub profile: String,
    /// Parameters whose values differ from the profile.
    pub set: BTreeMap<String, String>,
    /// Seed for the data.
    pub seed: Seed,
    /// Time of the load, in microseconds since 1970.
    pub loaded_at: i64,
    /// Progress of the load.
    pub state: MarkerState,
    /// Number of measurements since the load.
    pub runs: u64,
}

impl Marker {
    /// Returns a hash of everything except the number of runs. All hosts with the same data have the same hash.
    pub fn fingerprint(&self) -> String {
        let entries = Self { runs: 0, ..self.clone() }.entries();
        // Include the length of each value. Otherwise, different entries could result in the same
        // text.
        let line = |(key, value): (String, String)| format!("{key}={}:{value}", value.len());
        tacho_driver::fingerprint(&entries.into_iter().map(line).collect::<Vec<_>>())
    }

    /// Returns all fields as strings.
    pub fn entries(&self) -> BTreeMap<String, String> {
        let mut entries: BTreeMap<String, String> =
            self.set.iter().map(|(key, value)| (format!("set.{key}"), value.clone())).collect();
        let state = if self.state == MarkerState::Ready { "ready" } else { "building" };
        for (key, value) in [
            ("workload", self.workload.clone()),
            ("version", self.version.to_string()),
            ("scale", self.scale.to_string()),
            ("profile", self.profile.clone()),
            ("seed", self.seed.0.to_string()),
            ("loaded_at", self.loaded_at.to_string()),
            ("state", state.into()),
            ("runs", self.runs.to_string()),
        ] {
            entries.insert(key.into(), value);
        }
        entries
    }

    /// Parses the result of [`Marker::entries`]. Returns `None` if an entry is missing or unknown.
    pub fn from_entries(entries: &BTreeMap<String, String>) -> Option<Self> {
        let text = |key: &str| entries.get(key).map(String::as_str);
        Some(Self {
            workload: text("workload")?.into(),
            version: text("version")?.parse().ok()?,
            scale: text("scale")?.parse().ok()?,
            profile: text("profile")?.into(),
            set: entries
                .iter()
                .filter_map(|(key, value)| Some((key.strip_prefix("set.")?.into(), value.clone())))
                .collect(),
            seed: Seed(text("seed")?.parse().ok()?),
            loaded_at: text("loaded_at")?.parse().ok()?,
            state: match text("state")? {
                "ready" => MarkerState::Ready,
                "building" => MarkerState::Building,
                _ => return None,
            },
            runs: text("runs")?.parse().ok()?,
        })
    }
}

/// The marker tables in a database, accessed through a separate session.
pub struct MarkerStore {
    exchange: Exchange,
    /// True if another tool created the data. In that case, there are no marker tables, and changes
    /// are not recorded.
    adopted: bool,
}

impl MarkerStore {
    /// Opens the marker tables. If they do not exist or have other columns, returns the session to
    /// the caller.
    pub async fn open(
        mut session: Box<dyn Session>,
        dialect: &dyn Dialect,
    ) -> Result<Result<Self, Box<dyn Session>>> {
        let tables = session.inspector().tables().await?;
        if !TABLES.iter().all(|name| tables.iter().any(|table| table == name)) {
            return Ok(Err(session));
        }
        let objects = session.inspector().objects().await?;
        let expected = self::tables(false);
        let is_other = |object: &Object| {
            let matching = expected.iter().find(|table| object.is_table(table.name));
            matching.is_some_and(|table| {
                !object.has_columns(table.columns.iter().map(|column| column.name))
            })
        };
        if objects.iter().any(is_other) {
            return Ok(Err(session));
        }
        let files = [parse_sections(include_str!("../sql/marker.sql"))?];
        let catalog = Arc::new(Catalog::build(dialect, &STATEMENTS, &files)?);
        let exchange = Exchange::new(session, catalog, Form::Sql).await?;
        Ok(Ok(Self { exchange, adopted: false }))
    }

    /// Returns a store for data that another tool created. It neither reads nor writes a marker.
    pub async fn adopted(session: Box<dyn Session>, dialect: &dyn Dialect) -> Result<Self> {
        let catalog = Arc::new(Catalog::build(dialect, &[], &[])?);
        Ok(Self { exchange: Exchange::new(session, catalog, Form::Sql).await?, adopted: true })
    }

    /// Creates the marker tables, unless an interrupted load has left them without entries, and then writes the marker
    /// in one transaction. If `unlogged` is true, a server crash empties the table of units.
    pub async fn create(
        session: Box<dyn Session>,
        dialect: &dyn Dialect,
        marker: &Marker,
        unlogged: bool,
    ) -> Result<Self> {
        let mut store = match Self::open(session, dialect).await? {
            Ok(store) => store,
            Err(mut session) => {
                let tables = tables(unlogged);
                let ddl: Vec<String> =
                    tables.iter().map(|table| dialect.create_table(table)).collect();
                session.script(&ddl.join(";\n")).await?;
                let created = Self::open(session, dialect).await?;
                created.map_err(|_| {
                    Error::new(ErrorKind::Missing, "the marker tables were not created")
                })?
            }
        };
        let objects = store.exchange.inspector().objects().await?;
        store.exchange.begin(tacho_driver::Access::Write);
        for (key, value) in marker.entries() {
            store.exchange.execute(WRITE).text(key.as_bytes()).text(value.as_bytes());
        }
        for object in objects.iter().filter(|object| Self::is_marker(object)) {
            let (key, value) = note_of(object);
            store.exchange.execute(WRITE).text(key.as_bytes()).text(value.as_bytes());
        }
        store.note(WRITE, &format!("{TABLE_KEY}{MARKS}"), ABSENT);
        store.exchange.commit();
        store.exchange.send().await?;
        Ok(store)
    }

    /// Reads the marker.
    ///
    /// # Errors
    /// Returns an error if the marker is corrupted or was written by a different version.
    pub async fn read(&mut self) -> Result<Marker> {
        let entries = self.entries().await?;
        Marker::from_entries(&entries).ok_or_else(|| {
            Error::new(
                ErrorKind::Protocol,
                "the marker table is corrupted or was written by a different version",
            )
            .hint("tacho clean removes the data; tacho prepare rebuilds it")
        })
    }

    async fn entries(&mut self) -> Result<BTreeMap<String, String>> {
        self.exchange.execute(READ);
        let reply = self.exchange.send().await?;
        let mut entries = BTreeMap::new();
        for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
            let text = |column| Ok::<_, Error>(String::from_utf8_lossy(row.text(column)?).into());
            entries.insert(text(0)?, text(1)?);
        }
        Ok(entries)
    }

    /// Returns true if the tables have no entries, because a load was killed before it wrote the marker.
    pub async fn is_blank(&mut self) -> Result<bool> {
        Ok(!self.adopted && self.entries().await?.is_empty())
    }

    /// Returns the value of an entry that is not part of the marker. See [`MarkerStore::write_entry`].
    pub async fn entry(&mut self, key: &str) -> Result<Option<String>> {
        Ok(self.entries().await?.remove(key))
    }

    /// Writes and commits an entry that is not part of the marker and is ignored when the marker is read.
    pub async fn write_entry(&mut self, key: &str, value: &str) -> Result<()> {
        let statement = if self.entry(key).await?.is_some() { UPDATE } else { WRITE };
        self.exchange.begin(tacho_driver::Access::Write);
        self.note(statement, key, value);
        self.exchange.commit();
        self.exchange.send().await.map(|_| ())
    }

    /// Writes an entry, unless another writer owns it. The entry may be replaced if `is_free` returns true for its
    /// current value. If not, that value is returned.
    ///
    /// # Errors
    /// Returns any error from the database.
    pub async fn claim(
        &mut self,
        key: &str,
        value: &str,
        is_free: impl Fn(&str) -> bool,
    ) -> Result<std::result::Result<(), String>> {
        self.exchange.begin(tacho_driver::Access::Write);
        match self.entry(key).await? {
            Some(known) if known == value => {}
            Some(known) if !is_free(&known) => {
                self.exchange.reset().await?;
                return Ok(Err(known));
            }
            Some(known) => {
                // Replace only the value that was read, because another writer may have changed the
                // entry meanwhile.
                self.exchange
                    .execute(REPLACE)
                    .text(value.as_bytes())
                    .text(key.as_bytes())
                    .text(known.as_bytes());
            }
            None => self.note(WRITE, key, value),
        }
        self.exchange.commit();
        if let Err(error) = self.exchange.send().await {
            self.exchange.reset().await?;
            // Another writer won.
            let lost = [ErrorKind::UniqueViolation, ErrorKind::Serialization, ErrorKind::Deadlock];
            if !lost.contains(&error.kind()) {
                return Err(error);
            }
        }
        Ok(match self.entry(key).await? {
            Some(known) if known == value => Ok(()),
            known => Err(known.unwrap_or_default()),
        })
    }

    /// Returns true if the data has a marker. Data from another tool has none.
    pub fn has_marker(&self) -> bool {
        !self.adopted
    }

    /// Returns the marker's entries for the tables and routines that the load created.
    pub async fn noted(&mut self) -> Result<Noted> {
        if self.adopted {
            return Ok(Noted::default());
        }
        let entries = self.entries().await?.into_iter();
        let is_object = |key: &str| key.starts_with(TABLE_KEY) || key.starts_with(ROUTINE_KEY);
        Ok(Noted(entries.filter(|(key, _)| is_object(key)).collect()))
    }

    /// Returns true if the object is one of the marker tables or the commit mark table.
    pub fn is_marker(object: &Object) -> bool {
        object.kind == ObjectKind::Table && Self::is_marker_name(&object.name)
    }

    /// Returns true if this is the name of a marker table or of the commit mark table.
    pub fn is_marker_name(name: &str) -> bool {
        TABLES.contains(&name) || name == MARKS
    }

    /// Queues an entry saying that the load is about to create a table. If the load is then
    /// interrupted before [`MarkerStore::note_table`], Tacho still recognizes the table as its own.
    pub fn note_coming(&mut self, noted: &Noted, table: &str) {
        if !noted.is_empty() {
            let key = format!("{TABLE_KEY}{table}");
            let statement = if noted.0.contains_key(&key) { UPDATE } else { WRITE };
            self.note(statement, &key, COMING);
        }
    }

    /// Queues an entry for a table that the load has created or changed.
    pub fn note_table(&mut self, object: &Object) {
        let (key, value) = note_of(object);
        self.note(UPDATE, &key, &value);
    }

    /// Queues an entry for a routine that the load has created.
    pub fn note_routine(&mut self, object: &Object) {
        let (key, value) = note_of(object);
        self.note(WRITE, &key, &value);
    }

    fn note(&mut self, statement: StatementId, key: &str, value: &str) {
        self.exchange.execute(statement).text(key.as_bytes()).text(value.as_bytes());
    }

    /// Writes only the parts of the marker that may change, which are the state and the number of
    /// runs.
    pub async fn update(&mut self, marker: &Marker) -> Result<()> {
        if self.adopted {
            return Ok(());
        }
        self.begin_update(marker);
        self.exchange.commit();
        self.exchange.send().await.map(|_| ())
    }

    /// Tries to write the marker and rolls back, in order to find out whether the data can be
    /// changed. After an error, discard the store.
    pub async fn try_update(&mut self, marker: &Marker) -> Result<()> {
        if self.adopted {
            return Ok(());
        }
        self.begin_update(marker);
        self.exchange.rollback();
        self.exchange.send().await.map(|_| ())
    }

    fn begin_update(&mut self, marker: &Marker) {
        self.exchange.begin(tacho_driver::Access::Write);
        for (key, value) in marker.entries() {
            if matches!(key.as_str(), "state" | "runs") {
                self.exchange.execute(UPDATE).text(key.as_bytes()).text(value.as_bytes());
            }
        }
    }

    /// Returns the completed units of the current load, with the number of rows in each.
    pub async fn units(&mut self) -> Result<Vec<(u64, u64)>> {
        self.exchange.execute(UNITS);
        let reply = self.exchange.send().await?;
        (0..reply.rows(0))
            .filter_map(|row| reply.get(0, row))
            .map(|row| Ok((row.number(0)? as u64, row.number(1)? as u64)))
            .collect()
    }

    /// Returns true if no completed unit is recorded. Either no unit was loaded, or a server crash
    /// emptied the unlogged table.
    pub async fn is_empty(&mut self) -> Result<bool> {
        Ok(!self.adopted && self.units().await?.is_empty())
    }

    /// Returns the exchange that writes the marker. Callers also load rows through it, so that the
    /// rows are in the same transaction as [`MarkerStore::unit_done`].
    pub fn exchange(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    /// Queues an entry for a completed unit. The caller commits it together with the rows of the
    /// unit.
    pub fn unit_done(&mut self, unit: u64, rows: u64) {
        self.exchange.execute(UNIT_DONE).int(unit as i64).int(rows as i64);
    }

    /// Returns the session.
    pub fn into_session(self) -> Box<dyn Session> {
        self.exchange.into_session()
    }
}

/// Prefix of the keys of table entries, which is followed by the table's name.
const TABLE_KEY: &str = "table.";
/// Prefix of the keys of routine entries, which is followed by the routine's identity.
const ROUTINE_KEY: &str = "routine.";
/// Value for a table that is about to be created.
const COMING: &str = "coming";
/// Value for a table that the load has not created yet. If a table with this name exists, another client created it.
const ABSENT: &str = "absent";

/// Returns the entry for a table or routine.
fn note_of(object: &Object) -> (String, String) {
    let Object { kind, name, identity, .. } = object;
    match kind {
        ObjectKind::Table => {
            (format!("{TABLE_KEY}{name}"), format!("{identity} {}", object.fingerprint()))
        }
        ObjectKind::Routine => (format!("{ROUTINE_KEY}{identity}"), object.fingerprint()),
        ObjectKind::Other => (String::new(), String::new()),
    }
}

/// The marker's entries for the tables and routines that belong to the load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted(BTreeMap<String, String>);

/// Origin of a table or routine, according to the marker: the load or another client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognized {
    /// The load created the object.
    Ours,
    /// The load was about to create a table with this name.
    Coming,
    /// The load did not create the object.
    Foreign,
    /// The load created the object, but its columns or its text were changed later.
    Changed,
}

impl Noted {
    /// Returns true if there are no entries, because an older version of Tacho prepared the data.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the database is a copy, such as a restored dump. In a copy, the identity of
    /// the marker table differs from the recorded one.
    pub fn is_copy(&self, objects: &[Object]) -> bool {
        let marker = objects.iter().find(|object| object.name == MARKER_TABLE);
        marker.is_some_and(|marker| self.identified(marker) == Recognized::Foreign)
    }

    /// Returns true if there is an entry for the table called `name`.
    pub fn has_table(&self, name: &str) -> bool {
        self.0.contains_key(&format!("{TABLE_KEY}{name}"))
    }

    /// Returns true if a table has the same name and columns as a loaded table, even if its
    /// identity differs, for example after OPTIMIZE TABLE.
    pub fn has_shape(&self, object: &Object) -> bool {
        let (key, value) = note_of(object);
        let print = |value: &str| value.split(' ').next_back().map(str::to_owned);
        self.0.get(&key).is_some_and(|noted| print(noted) == print(&value))
    }

    /// Returns true if the current driver describes the object in the same way as the driver that recorded it. For
    /// example, an ODBC driver reports no identities and other type names, so its description cannot be compared with
    /// that of another driver.
    pub fn is_comparable(&self, object: &Object) -> bool {
        let has_identity = |value: &String| {
            value.rsplit_once(' ').is_some_and(|(identity, _)| !identity.is_empty())
        };
        let (key, value) = note_of(object);
        self.0.get(&key).is_none_or(|noted| has_identity(noted) == has_identity(&value))
    }

    /// Returns whether the load created an object, according to the marker. In a copy of the database, identities
    /// differ, so only the columns are compared.
    pub fn recognize(&self, object: &Object, is_copy: bool) -> Recognized {
        if !is_copy {
            return self.identified(object);
        }
        let searched = match object.kind {
            ObjectKind::Table => note_of(object).0,
            ObjectKind::Routine => ROUTINE_KEY.to_owned(),
            ObjectKind::Other => return Recognized::Foreign,
        };
        let print = object.fingerprint();
        let mut noted = self.0.iter().filter(|(key, _)| match object.kind {
            ObjectKind::Routine => key.starts_with(&searched),
            ObjectKind::Table | ObjectKind::Other => **key == searched,
        });
        let is_ours = noted.any(|(_, value)| value.split(' ').next_back() == Some(&print));
        if is_ours { Recognized::Ours } else { Recognized::Foreign }
    }

    fn identified(&self, object: &Object) -> Recognized {
        let (key, value) = note_of(object);
        let identity =
            |value: &str| value.rsplit_once(' ').map(|(identity, _)| identity.to_owned());
        match self.0.get(&key) {
            Some(noted) if *noted == value => Recognized::Ours,
            Some(noted) if noted == COMING => Recognized::Coming,
            Some(noted) if noted == ABSENT => Recognized::Foreign,
            // The driver reports no identity, so only the columns can be compared.
            Some(_) if object.identity.is_empty() => Recognized::Foreign,
            Some(noted) if identity(noted) == identity(&value) => Recognized::Changed,
            Some(_) | None => Recognized::Foreign,
        }
    }
}

fn tables(unlogged: bool) -> [Table; 2] {
    let column = |name, ty| Column { name, ty, nullable: false, declared: None };
    [
        Table {
            name: TABLES[0],
            columns: vec![column("k", Type::Varchar(64)), column("v", Type::Varchar(256))],
            key: vec!["k"],
            ..Table::default()
        },
        Table {
            name: TABLES[1],
            columns: vec![column("unit", Type::Int), column("loaded", Type::BigInt)],
            key: vec!["unit"],
            storage: Storage { unlogged, ..Storage::default() },
            ..Table::default()
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, identity: &str, column: &str) -> Object {
        Object {
            kind: ObjectKind::Table,
            name: name.into(),
            schema: String::new(),
            identity: identity.into(),
            shape: vec![column.into()],
            drop: String::new(),
        }
    }

    #[test]
    fn fingerprints_differ_by_everything_but_the_number_of_runs() {
        let marker = Marker {
            workload: "w".into(),
            version: 1,
            scale: 1,
            profile: "p".into(),
            set: BTreeMap::from([("a".into(), "1".into())]),
            seed: Seed(1),
            loaded_at: 1,
            state: MarkerState::Ready,
            runs: 1,
        };
        let (first, same) = (marker.fingerprint(), || marker.clone());
        assert_eq!(first, Marker { runs: 2, ..same() }.fingerprint());
        for other in [
            Marker { workload: "x".into(), ..same() },
            Marker { version: 2, ..same() },
            Marker { scale: 2, ..same() },
            Marker { profile: "q".into(), ..same() },
            Marker { set: BTreeMap::from([("a".into(), "2".into())]), ..same() },
            Marker { set: BTreeMap::new(), ..same() },
            Marker { seed: Seed(2), ..same() },
            Marker { loaded_at: 2, ..same() },
            Marker { state: MarkerState::Building, ..same() },
        ] {
            assert_ne!(first, other.fingerprint(), "{other:?}");
        }
    }

    #[test]
    fn tables_are_recognized_by_what_was_noted() {
        let ours = [table(MARKER_TABLE, "1", "k text"), table("a", "2", "x int")];
        let mut noted = Noted(ours.iter().map(note_of).collect());
        noted.0.insert("table.b".into(), COMING.into());
        noted.0.insert("table.d".into(), ABSENT.into());
        let cases = [
            (table("a", "2", "x int"), Recognized::Ours),
            (table("a", "3", "x int"), Recognized::Foreign),
            (table("a", "2", "x int, y int"), Recognized::Changed),
            (table("b", "4", "x int"), Recognized::Coming),
            (table("c", "5", "x int"), Recognized::Foreign),
            (table("d", "", "x int"), Recognized::Foreign),
        ];
        for (object, expected) in cases {
            assert_eq!(noted.recognize(&object, false), expected, "{object:?}");
        }
        assert!(!noted.is_copy(&ours));
        let copy = [table(MARKER_TABLE, "71", "k text"), table("a", "72", "x int")];
        assert!(noted.is_copy(&copy));
        assert_eq!(noted.recognize(&copy[1], true), Recognized::Ours);
        assert_eq!(noted.recognize(&table("a", "2", "y int"), true), Recognized::Foreign);
    }

    #[test]
    fn without_an_identity_the_columns_decide() {
        let noted = Noted([note_of(&table("a", "", "x int"))].into());
        assert_eq!(noted.recognize(&table("a", "", "x int"), false), Recognized::Ours);
        assert_eq!(noted.recognize(&table("a", "", "y int"), false), Recognized::Foreign);
    }

    #[test]
    fn markers_are_rebuilt_from_their_entries() {
        let marker = Marker {
            workload: "w".into(),
            version: 3,
            scale: 10,
            profile: "p".into(),
            set: [("a".to_owned(), "b".to_owned())].into(),
            seed: Seed(u64::MAX),
            loaded_at: 5,
            state: MarkerState::Building,
            runs: 2,
        };
        let mut entries = marker.entries();
        assert_eq!(Marker::from_entries(&entries), Some(marker));
        entries.insert("state".into(), "odd".into());
        assert_eq!(Marker::from_entries(&entries), None);
    }
}
