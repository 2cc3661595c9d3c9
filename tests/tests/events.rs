//! Events that `--progress json` writes while a command is running. In one test, they are read too slowly.

use serde_json::Value;
use tacho_tests::{Done, Folder};

fn events(done: &Done) -> Vec<Value> {
    done.err.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

#[test]
fn steps_and_outages_are_marked_as_they_happen() {
    let folder = Folder::new();
    let marks = |line: &str| {
        let done = folder.tacho(&format!("run tprocc {line} --progress json -o quiet")).done();
        let all = events(&done);
        let marks = named(&all, "mark").into_iter();
        let of = |mark: &Value| (mark["kind"].clone(), mark["at_s"].as_f64().expect("a time"));
        marks.map(of).collect::<Vec<_>>()
    };
    let steps = marks("sim --ramp-up 1s --load 'steps: 2x4s, 8x4s, 4x4s'");
    assert_eq!(steps, [1.0, 5.0, 9.0].map(|at_s| ("step_begins".into(), at_s)));
    let outage = "'sim:?outage_at=3s&outage=2s' -c 4 -d 9s --ramp-up 1s --on-disconnect reconnect";
    let [(begins, from), (ends, to)] = &marks(outage)[..] else { panic!("two marks") };
    assert_eq!([begins, ends], ["outage_begins", "outage_ends"]);
    assert!((2.9..4.0).contains(from) && (4.9..7.0).contains(to), "{from} {to}");
}

#[test]
fn the_load_of_the_machine_is_reported_with_each_interval() {
    let folder = Folder::new();
    let line = "run tpcb noop -c 1 -d 2s --ramp-up 1s --interval 500ms --progress json -o quiet";
    let all = events(&folder.tacho(line).done());
    let (hosts, intervals) = (named(&all, "host"), named(&all, "interval"));
    // There is no event for the first interval, because it has no earlier measurement to compare with.
    assert!(hosts.len() >= intervals.len() - 2 && hosts.len() <= intervals.len(), "{all:?}");
    for event in hosts {
        let host = &event["hosts"][0];
        let number = |key: &str| host[key].as_f64().expect("a number");
        assert_eq!(host["source"], "client");
        assert!(number("busy_cores") <= number("cores") + 0.01, "{host}");
        assert!(number("tacho_cores") > 0.0 && number("other_cores") >= 0.0, "{host}");
        assert!(number("available_bytes") > 0.0, "{host}");
        assert!(number("available_bytes") <= number("memory_bytes"), "{host}");
    }
    let standing = named(&all, "standing");
    let last = standing.last().expect("figures of the phase");
    assert!(last["host"]["busy_cores"].is_number(), "{last}");
}

/// Script that starts a run, but does not read its progress output until the run's record is complete. It then writes
/// this output to the file `read`.
const UNREAD: &str = r#"
mkfifo lines && exec 3<>lines
$TACHO run tpcb sim:?latency=60s -c 1 -d 12h --ramp-up 0s --interval 2m --progress json -o quiet 2>lines &
tries=0
until grep -qs '"complete"' tacho-data/runs/*/run.json; do
    tries=$((tries + 1)); [ $tries -lt 600 ] || exit 7
    sleep 0.1
done
exec 4<lines 3>&-
cat <&4 >read
wait $!
"#;

#[test]
fn a_full_pipe_does_not_hold_the_measurement_and_what_is_left_out_is_counted() {
    let folder = Folder::new();
    folder.shell(UNREAD).exits(0);
    let text = String::from_utf8(folder.read("read")).expect("text");
    let all: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let count = |name: &str| named(&all, name).len();
    let left_out = all.iter().filter_map(|event| {
        let (_, rest) = event["text"].as_str()?.split_once("too slowly: ")?;
        let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    });
    let left_out: usize = left_out.sum();
    assert!(left_out > 100, "{left_out} lines were left out");
    // The run takes 12 hours, with 30 intervals per hour. After each interval, the results of the phase so far are
    // written as well.
    assert_eq!(count("interval") + count("standing") + left_out, 2 * 12 * 30);
    assert_eq!((count("begins"), count("phase")), (1, 1), "other events are never left out");
    assert!(count("ending") >= 3, "{}", count("ending"));
}
