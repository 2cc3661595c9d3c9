//! Changes to loaded data. A change must be detected if, and only if, the tables on the workload's documentation page
//! say so.

use tacho_core::Table;
use tacho_testkit::contract::{
    UNNOTICED, choices, column_named, instance, listed_columns, listed_rows, new_value,
};
use tacho_tests::{Data, Prepared};

use super::trial::Trial;
use crate::prepared::ONE;

static TPCB: Prepared = Prepared::of("tpcb", "campaign-tpcb", "");
static OLTP: Prepared = Prepared::of("oltp", "campaign-oltp", "--set table_size=5000");
static TPROCH: Prepared = Prepared::of("tproch", "campaign-tproch", "-s 0.01");
static CHBENCH: Prepared = Prepared::of("chbench", "campaign-chbench", "");

/// A workload with loaded data.
struct Loaded {
    id: &'static str,
    data: &'static Prepared,
    /// The new values for changes other than `any`.
    values: &'static str,
    /// True if transactions on this data are fast enough for a trial to run some of them.
    runs: bool,
}

static LOADED: [Loaded; 5] = [
    Loaded {
        id: "tprocc",
        data: &ONE,
        values: include_str!("../../../../workloads/tprocc/tests/changes.txt"),
        runs: true,
    },
    Loaded {
        id: "tpcb",
        data: &TPCB,
        values: include_str!("../../../../workloads/tpcb/tests/changes.txt"),
        runs: true,
    },
    Loaded {
        id: "oltp",
        data: &OLTP,
        values: include_str!("../../../../workloads/oltp/tests/changes.txt"),
        runs: true,
    },
    Loaded {
        id: "tproch",
        data: &TPROCH,
        values: include_str!("../../../../workloads/tproch/tests/changes.txt"),
        runs: false,
    },
    Loaded { id: "chbench", data: &CHBENCH, values: "", runs: false },
];

/// The effect that a change must have according to the workload's documentation page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Noticed,
    Unnoticed,
    /// The change is noticed only if a changed row is among the rows that the checks sample.
    Either,
}

impl Expected {
    /// Returns the documented effect of a change to several kinds of rows. `cells` contains the documented effect for
    /// each of these kinds.
    fn of(cells: &[&str]) -> Self {
        let filled: Vec<&&str> = cells.iter().filter(|cell| !cell.is_empty()).collect();
        if filled.iter().all(|cell| **cell == UNNOTICED) {
            Self::Unnoticed
        } else if filled.iter().any(|cell| **cell == UNNOTICED || cell.starts_with('(')) {
            Self::Either
        } else {
            Self::Noticed
        }
    }

    /// Converts the documented effect of a change to all rows to the effect of a change to only some of them. If only
    /// samples detect the change, they may miss it, so the cell is put in parentheses.
    fn some(cell: &str) -> String {
        let is_sampled =
            !cell.is_empty() && cell != UNNOTICED && cell.split(", ").all(|id| id.starts_with('R'));
        if is_sampled { format!("({cell})") } else { cell.to_owned() }
    }
}

/// Picks adjacent rows at random. Returns the condition that selects them, and whether it selects the whole table.
fn draw_rows(trial: &mut Trial, data: &Data, table: &Table) -> (String, bool) {
    let count = data.number(&format!("SELECT count(*) FROM {}", table.name)) as u64;
    let number = match trial.below(4) {
        0 | 1 => 1,
        2 => 1 + trial.below(count.max(2) / 2),
        _ => count,
    };
    if number >= count {
        return ("1 = 1".into(), true);
    }
    let first = trial.below(count - number + 1);
    let key = if table.key.is_empty() { "rowid".to_owned() } else { table.key.join(", ") };
    let name = table.name;
    let rows = format!("SELECT {key} FROM {name} ORDER BY {key} LIMIT {number} OFFSET {first}");
    (format!("({key}) IN ({rows})"), false)
}

/// Makes a change, and returns the number of changed rows, or `None` if the database rejects it.
fn change(trial: &mut Trial, data: &Data, sql: &str) -> Option<i64> {
    trial.note(sql);
    let changed = data.attempt(sql)?;
    trial.note(format!("{changed} rows"));
    if changed == 0 {
        trial.void("nothing changed");
    }
    Some(changed)
}

/// Changes a drawn column in drawn rows.
fn change_column(
    trial: &mut Trial,
    loaded: &Loaded,
    tables: &[Table],
    ran: bool,
) -> Option<Expected> {
    let docs = tacho_registry::workload(loaded.id).expect("a workload").manifest().docs;
    let all = listed_columns(docs);
    let mut places = Vec::new();
    for cells in &all {
        for name in &cells.columns {
            let found = tables.iter().find_map(|table| Some((table, column_named(table, name)?)));
            places.extend(found.map(|(table, column)| (cells, table, column)));
        }
    }
    let (cells, table, column) = *trial.pick(&places);
    let data = Data::open(&trial.folder.file("a.db"));
    let (rows, is_all) = draw_rows(trial, &data, table);
    let value = new_value(table, column, cells.change, loaded.values);
    let (name, column) = (table.name, column.name);
    let sql = format!("UPDATE {name} SET {column} = {value} WHERE {rows} AND {column} IS NOT NULL");
    let changed = change(trial, &data, &sql)?;
    let [one, every, of_run] = cells.found_by;
    Some(match (changed, is_all) {
        (0, _) => Expected::Unnoticed,
        (_, true) => Expected::of(&[every]),
        (_, false) if ran => Expected::of(&[one, &Expected::some(of_run)]),
        (_, false) => Expected::of(&[one]),
    })
}

/// Deletes rows picked at random, or adds rows with new keys.
fn change_rows(trial: &mut Trial, loaded: &Loaded, tables: &[Table]) -> Option<Expected> {
    let docs = tacho_registry::workload(loaded.id).expect("a workload").manifest().docs;
    let listed = listed_rows(docs);
    let is_listed = |table: &&Table| {
        let quoted = format!("`{}`", table.name);
        listed.iter().any(|row| row[0].split(' ').any(|name| name == quoted))
    };
    let tables: Vec<&Table> = tables.iter().filter(is_listed).collect();
    let table = *trial.pick(&tables);
    let data = Data::open(&trial.folder.file("a.db"));
    let (rows, _) = draw_rows(trial, &data, table);
    let name = table.name;
    let sql = if trial.chance(60) {
        format!("DELETE FROM {name} WHERE {rows}")
    } else {
        let key = if table.key.is_empty() { "" } else { *trial.pick(&table.key) };
        let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        let values: Vec<String> = names
            .iter()
            .map(|name| if *name == key { format!("{name} + 1000000") } else { (*name).to_owned() })
            .collect();
        let (names, values) = (names.join(", "), values.join(", "));
        format!("INSERT INTO {name} ({names}) SELECT {values} FROM {name} WHERE {rows}")
    };
    let changed = change(trial, &data, &sql)?;
    Some(if changed == 0 { Expected::Unnoticed } else { Expected::Noticed })
}

pub fn perform(trial: &mut Trial) {
    let loaded = trial.pick(&LOADED);
    loaded.data.copy_to(&trial.folder, "a.db");
    let id = loaded.id;
    trial.note(id);
    let ran = loaded.runs && trial.chance(50);
    if ran {
        let count = 50 + trial.below(300);
        trial.note(format!("{count} transactions"));
        let run =
            format!("run {id} sqlite:a.db -c 2 --transactions {count} --ramp-up 0s --check none");
        trial.tacho(&format!("{run} --progress none -o quiet"));
    }
    let workload = tacho_registry::workload(id).expect("a workload");
    let instance = instance(&*workload, &choices(1, workload.profiles()[0].id));
    let tables = &instance.schema().tables;
    let expected = if trial.chance(25) {
        change_rows(trial, loaded, tables)
    } else {
        change_column(trial, loaded, tables, ran)
    };
    let Some(expected) = expected else {
        return trial.void("rejected by the database");
    };
    let done = trial.tacho(&format!("check {id} sqlite:a.db"));
    trial.note(format!("{expected:?}: exit {}", done.code()));
    match expected {
        Expected::Noticed => done.expect_code(5),
        Expected::Unnoticed => done.expect_code(0),
        Expected::Either => assert!(matches!(done.code(), 0 | 5), "{done:?}"),
    }
}
