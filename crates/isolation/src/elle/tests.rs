use super::*;
use crate::{Class, check};

const SKEW: &str = r"
    ; Two transactions that miss each other's write
    {:type :invoke, :process 0, :time 1, :f :txn, :value [[:r 1 nil] [:append 2 10]]}
    {:type :invoke, :process 1, :time 2, :f :txn, :value [[:r 2 nil] [:append 1 20]]}
    {:type :ok, :process 0, :time 3, :f :txn, :value [[:r 1 []] [:append 2 10]]}
    {:type :info, :process :nemesis, :value nil}
    {:type :ok, :process 1, :time 4, :f :txn, :value [[:r 2 nil] [:append 1 20]]}
    {:type :invoke, :process 0, :time 5, :f :txn, :value [[:r 1 nil] [:r 2 nil]]}
    {:type :ok, :process 0, :time 6, :f :txn, :value [[:r 1 [20]] [:r 2 [10]]]}";

#[test]
fn a_history_is_read_and_checked() -> Result<()> {
    let history = read_elle(SKEW)?;
    assert_eq!(history.transactions().len(), 3);
    assert_eq!((history.transactions()[1].begun, history.transactions()[1].ended), (2, 4));
    assert_eq!(check(&history)?.classes(), [Class::WriteSkew]);
    Ok(())
}

#[test]
fn a_history_is_the_same_after_it_was_written() -> Result<()> {
    let text = format!("[{SKEW}]").replace(":type :info", ":error \"a \\\" b\", :type :info");
    let history = read_elle(&text)?;
    let mut written = Vec::new();
    write_elle(&history, &mut written).expect("written");
    let written = String::from_utf8(written).expect("text");
    assert_eq!(written.lines().count(), 6);
    let again = read_elle(&written)?;
    assert_eq!(check(&again)?, check(&history)?);
    Ok(())
}

#[test]
fn failed_and_unfinished_transactions_are_read() -> Result<()> {
    let history = read_elle(
        "{:type :invoke, :process 3, :value [[:append 1 1]]}
         {:type :invoke, :process 4, :value [[:append 1 2]]}
         {:type :fail, :process 4, :value nil}
         {:type :invoke, :process 5, :value [[:r 1 nil]]}
         {:type :ok, :process 5, :value [[:r 1 [1 2]]]}",
    )?;
    let outcomes: Vec<AttemptOutcome> =
        history.transactions().iter().map(|transaction| transaction.outcome).collect();
    assert_eq!(
        outcomes,
        [AttemptOutcome::Failed, AttemptOutcome::Committed, AttemptOutcome::Unknown]
    );
    let findings = check(&history)?;
    assert_eq!(findings.classes(), [Class::AbortedRead]);
    // The transaction with an unknown outcome has taken effect, because another transaction read
    // its value.
    assert_eq!((findings.committed, findings.unknown), (2, 1));
    Ok(())
}

#[test]
fn other_texts_are_errors() {
    let nested = "[".repeat(100_000);
    for text in [
        "{",
        "}",
        "[1",
        "{:a}",
        "\"",
        "1",
        "{:process 1}",
        "{:process 1, :type 1}",
        &nested,
        "{:process 1, :type :odd}",
        "{:process 1, :type :ok, :value 1}",
        "{:process 99999999999, :type :ok, :value []}",
        "{:process 1, :type :ok, :value [[:r 1]]}",
        "{:process 1, :type :ok, :value [[:r 1 [:a]]]}",
        "{:process 1, :type :ok, :value [[:w 1 2]]}",
    ] {
        assert_eq!(read_elle(text).expect_err(text).kind(), ErrorKind::Protocol, "{text}");
    }
    let twice = "{:process 1, :type :ok, :value [[:append 1 1] [:append 1 1]]}";
    let error = read_elle(twice).and_then(|history| check(&history)).expect_err("appended twice");
    assert_eq!(error.message(), "1 is appended twice to key 1");
}
