//! Checks that rows can be written and read back.

use tacho_core::{Index, Result};
use tacho_driver::{Access, Form, TableParts};

use super::Bench;
use super::bench::tables;
use super::statement::{CHANGE, EITHER, IDS, INSERT, PAIR, PAIRS, READ, TOTALS};

pub fn tables_come_and_go(bench: &Bench<'_>) -> Result<()> {
    let mut session = bench.session()?;
    let listed = bench.wait(session.inspector().tables())?;
    for table in tables() {
        assert!(listed.iter().any(|name| name == table.name), "{} in {listed:?}", table.name);
    }
    bench.clean()?;
    let listed = bench.wait(session.inspector().tables())?;
    assert!(!listed.iter().any(|name| name.starts_with("conformance")), "{listed:?}");
    Ok(())
}

/// Checks that the reported structure of the tables does not change when rows are added. If the structure includes
/// indexes, it must change when an index is added.
pub fn a_new_index_is_noticed(bench: &Bench<'_>) -> Result<()> {
    let all = tables();
    let names: Vec<&str> = all.iter().map(|table| table.name).collect();
    let read = || {
        let mut session = bench.session()?;
        let parts = bench.wait(session.inspector().table_parts(&names))?;
        bench.wait(session.close())?;
        Ok::<_, tacho_core::Error>((
            parts.iter().any(|part| part.kind == "index"),
            TableParts::of(parts, &names),
        ))
    };
    let (has_indexes, before) = read()?;
    assert!(!before.is_empty(), "no driver leaves this out that keeps tables");
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.execute(INSERT).int(1).int(1).decimal(1).text(b"x").time(1);
    bench.send(&mut exchange)?;
    assert_eq!(before.changes(&read()?.1, true), [""; 0]);
    let table = &all[0];
    let index =
        Index { name: "conformance_more", columns: vec![table.columns[0].name], unique: false };
    bench.script(&bench.driver.dialect().create_index(table, &index))?;
    let changes = before.changes(&read()?.1, true);
    let is_seen =
        changes.iter().any(|change| change.to_lowercase().contains("index conformance_more"));
    assert!(is_seen || !has_indexes, "{changes:?}");
    Ok(())
}

pub fn every_value_comes_back(bench: &Bench<'_>) -> Result<()> {
    for form in bench.forms() {
        bench.reset()?;
        every_value_comes_back_in(bench, form)?;
    }
    an_empty_text_comes_back(bench)
}

fn every_value_comes_back_in(bench: &Bench<'_>, form: Form) -> Result<()> {
    let texts: [&[u8]; 5] =
        [b"plain", b"it's \"quoted\" :n ?1 $1 \\", "naïve 数 🦀".as_bytes(), b"x", b" lead"];
    let whole = [0, 1, -1, i64::MAX, i64::MIN + 1];
    let decimals = [0, 1, -1, 999_999_999_999, -999_999_999_999];
    let times = [0, 1, 1_700_000_000_123_456, -1_000_000, 4_102_444_800_000_000];
    let mut exchange = bench.exchange(form)?;
    for (id, (((n, d), s), t)) in whole.iter().zip(decimals).zip(texts).zip(times).enumerate() {
        exchange.execute(INSERT).int(id as i64).int(*n).decimal(d).text(s).time(t);
        exchange.execute(READ).int(id as i64);
        let expected = format!("{n} {d}e '{}' {t}us", String::from_utf8_lossy(s));
        let got = bench.send(&mut exchange)?;
        assert_eq!(got, [(vec![], 1), (vec![expected], 0)]);
    }
    exchange.execute(INSERT).int(9).null().null().null().null();
    exchange.execute(READ).int(9);
    exchange.execute(READ).int(10);
    let got = bench.send(&mut exchange)?;
    assert_eq!(got[1].0, ["NULL NULL NULL NULL"]);
    assert!(got[2].0.is_empty(), "a row that is not there");
    Ok(())
}

fn an_empty_text_comes_back(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.execute(INSERT).int(20).null().null().text(b"").null();
    exchange.execute(READ).int(20);
    let row = bench.send(&mut exchange)?[1].0[0].clone();
    // Some databases store an empty string as NULL, but none may return a different string.
    assert!(row == "NULL NULL '' NULL" || row == "NULL NULL NULL NULL", "{row}");
    Ok(())
}

pub fn written_rows_are_counted(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    for id in 1..=5 {
        exchange.execute(INSERT).int(id).int(id).decimal(0).null().null();
    }
    exchange.execute(CHANGE).int(3).int(0);
    exchange.execute(CHANGE).int(6).int(0);
    exchange.execute(IDS);
    let got = bench.send(&mut exchange)?;
    assert_eq!((got[4].1, got[5].1, got[6].1), (1, 3, 0));
    assert_eq!(got[7], (["1", "2", "3", "4", "5"].map(String::from).to_vec(), 0));
    Ok(())
}

pub fn a_parameter_is_used_twice(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    for (id, n) in [(1, 2), (2, 7), (3, 3)] {
        exchange.execute(INSERT).int(id).int(n).decimal(0).null().null();
    }
    exchange.execute(EITHER).int(2);
    exchange.execute(PAIR).int(5).int(4).text(b"x");
    exchange.execute(PAIRS);
    let got = bench.send(&mut exchange)?;
    assert_eq!(got[3].0, ["1", "2"]);
    assert_eq!(got[5].0, ["1 4"], "parameters are bound by name, not by place in the text");
    Ok(())
}

pub fn the_first_row_has_its_moment(bench: &Bench<'_>) -> Result<()> {
    let clock = bench.environment().clock;
    for form in bench.forms() {
        let mut exchange = bench.exchange(form)?;
        exchange.execute(TOTALS);
        bench.send(&mut exchange)?;
        assert_eq!(exchange.first_row(), None, "nobody asked");
        exchange.time_first_row(clock.clone());
        let before = clock.now();
        exchange.execute(TOTALS);
        bench.send(&mut exchange)?;
        let first = exchange.first_row();
        assert!(first.is_some_and(|first| before <= first && first <= clock.now()), "{first:?}");
        exchange.execute(READ).int(4_711);
        bench.send(&mut exchange)?;
        assert_eq!(exchange.first_row(), None, "no row came, so none was the first");
    }
    Ok(())
}

pub fn sums_are_exact(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    for id in 0..1_000 {
        // Use 0.10, because binary floating point cannot represent it exactly. If the database rounds, the sum below is
        // wrong.
        exchange.execute(INSERT).int(id).int(0).decimal(10).null().null();
    }
    exchange.execute(TOTALS);
    exchange.commit();
    assert_eq!(bench.send(&mut exchange)?[1_000].0, ["1000 10000e"]);
    Ok(())
}

pub fn all_forms_give_the_same(bench: &Bench<'_>) -> Result<()> {
    let mut results = Vec::new();
    for form in bench.forms() {
        bench.reset()?;
        let mut exchange = bench.exchange(form)?;
        exchange.begin(Access::Write);
        for id in 1..=3 {
            exchange.execute(INSERT).int(id).int(-id).decimal(id).text(b"t").null();
        }
        exchange.execute(IDS);
        exchange.execute(CHANGE).int(2).int(8);
        exchange.execute(READ).int(2);
        exchange.execute(READ).int(4);
        exchange.commit();
        results.push(bench.send(&mut exchange)?);
        exchange.execute(TOTALS);
        results.push(bench.send(&mut exchange)?);
        let sent = if form == Form::Pipelined { 2 } else { 10 };
        assert_eq!(exchange.traffic().round_trips, sent);
    }
    for other in results[2..].chunks_exact(2) {
        assert_eq!(results[..2], *other);
    }
    Ok(())
}
