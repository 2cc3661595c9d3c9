//! Draws the view on terminals of several sizes and for several kinds of load.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use tacho_config::Stop;
use tacho_store::event::{HostLoad, Standing, StandingHeadline, StreamState};
use tacho_store::record::{
    DistributionRecord, ErrorRecord, GaugeRecord, HostRecord, PlanRecord, Record, RunState,
    ServerLoadRecord, ServerRecord, ThresholdRecord, TransactionRecord, WaitRecord,
};
use tacho_store::{Event, IntervalRecord, IntervalTransaction, ServerIntervalRecord};
use tacho_tui::{Model, Overlay, Page, Ui, draw};

const SIZES: [(u16, u16); 3] = [(80, 24), (100, 30), (200, 50)];

/// A load for which the view is drawn. `queries` is the number of stream queries, and `size` scales
/// all numbers.
#[derive(Clone, Copy)]
struct Load {
    kinds: &'static [&'static str],
    queries: usize,
    size: f64,
    failures: u64,
    streams: u32,
    watched: bool,
}

const FEW: Load = Load {
    kinds: &["first", "second_kind", "third_of_these"],
    queries: 0,
    size: 1.0,
    failures: 0,
    streams: 0,
    watched: false,
};

const MANY: [&str; 27] = [
    "a", "b", "c", "d", "e", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9", "q10", "q11",
    "q12", "q13", "q14", "q15", "q16", "q17", "q18", "q19", "q20", "q21", "q22",
];

fn loads() -> Vec<Load> {
    let failing = Load { failures: 12_345, ..FEW };
    vec![
        FEW,
        Load { kinds: &["only_one"], watched: true, ..FEW },
        Load { kinds: &MANY, queries: 22, watched: true, ..failing },
        Load { kinds: &MANY[5..], streams: 9, ..FEW },
        Load { size: 1e9, watched: true, failures: u64::MAX / 1_000_000, ..FEW },
        Load { size: 1e-7, watched: true, ..FEW },
    ]
}

impl Load {
    fn distribution(&self, place: usize) -> DistributionRecord {
        let us = self.size * 1_234.5 * (place + 1) as f64;
        DistributionRecord {
            count: 1_000,
            min_us: us / 2.0,
            mean_us: us,
            p50_us: Some(us),
            p90_us: Some(us * 1.7),
            p95_us: Some(us * 2.0),
            p99_us: (place != 1).then_some(us * 5.0),
            p999_us: None,
            max_us: us * 17.0,
        }
    }

    fn row(&self, (place, name): (usize, &&str)) -> TransactionRecord {
        TransactionRecord {
            name: (*name).into(),
            share: 0.123,
            count: (self.size * 4_321.0) as u64,
            failed: self.failures,
            latency: self.distribution(place),
            ..TransactionRecord::default()
        }
    }

    fn standing(&self, phase: &str) -> Standing {
        let rows: Vec<TransactionRecord> =
            self.kinds.iter().enumerate().map(|one| self.row(one)).collect();
        let (transactions, queries) = rows.split_at(rows.len() - self.queries);
        let all = |rows: &[TransactionRecord]| {
            rows.iter().cloned().chain([self.row((0, &"all"))]).collect::<Vec<_>>()
        };
        let error = ErrorRecord {
            transaction: self.kinds[0].into(),
            kind: "deadlock".into(),
            code: "40P01".into(),
            count: self.failures,
            example: "deadlock detected: process 4711 waits for a lock".into(),
        };
        Standing {
            phase: phase.into(),
            elapsed_s: 7.5,
            transactions: all(transactions),
            queries: if queries.is_empty() { Vec::new() } else { all(queries) },
            headline: Some(StandingHeadline {
                name: "NOPM".into(),
                per_minute: self.size * 71_771.0,
            }),
            buckets: Vec::new(),
            errors: if self.failures > 0 { vec![error] } else { Vec::new() },
            thresholds: vec![
                limit(&format!("{}.p95<50ms", self.kinds[0]), "12.3\u{202f}ms", true),
                limit("errors<0.1%", "4.5\u{202f}%", false),
            ],
            lateness: self.distribution(0),
            session_wait: DistributionRecord::default(),
            cpu_cores: Some(1.25),
            cores: 64,
            host: self.watched.then_some(HostLoad {
                busy_cores: 48.0,
                own_cores: 16.0,
                disk_bytes_per_s: 3e6,
                disk_transfers_per_s: 1_500.0,
            }),
        }
    }

    fn interval(&self, second: u32) -> IntervalRecord {
        let of = |(place, name): (usize, &&str)| {
            let latency = self.distribution(place + (second % 3) as usize);
            IntervalTransaction {
                name: (*name).into(),
                failed: self.failures,
                p50_us: latency.p50_us,
                p95_us: latency.p95_us,
                p99_us: latency.p99_us,
                max_us: Some(latency.max_us),
                ..IntervalTransaction::default()
            }
        };
        IntervalRecord {
            at_s: f64::from(second) + 1.0,
            length_s: 1.0,
            phase: if second < 3 { "ramp-up" } else { "measure" }.into(),
            sessions: 64,
            sessions_planned: 64,
            throughput_per_s: self.size * 1_000.0,
            headline_per_minute: Some(self.size * f64::from(70_000 + second)),
            queries_per_hour: (self.queries > 0).then_some(1_234.0),
            transactions: self.kinds.iter().enumerate().map(of).collect(),
            totals: of((0, &"all")),
            skipped: 0,
            late_p99_us: None,
            ..IntervalRecord::default()
        }
    }

    fn server(&self) -> ServerIntervalRecord {
        let wait = |class: &str, event: &str, sessions: f64| WaitRecord {
            class: class.into(),
            event: event.into(),
            kind: None,
            sessions,
            share: 0.1,
        };
        let gauge = GaugeRecord { mean: 1.0, min: 1, max: 9, last: (self.size * 9_999.0) as u64 };
        let load = ServerLoadRecord {
            samples: 10,
            active_sessions: self.size * 21.4,
            waits: vec![
                wait("CPU", "", self.size * 11.0),
                wait("IO", "a_very_long_name_of_an_event", self.size * 7.3),
                wait("Lock", "tuple", self.size * 0.1),
            ],
            counters: BTreeMap::from([
                ("commits".to_owned(), (self.size * 1_203.0) as u64),
                ("log_bytes".to_owned(), (self.size * 98_765_432.0) as u64),
            ]),
            gauges: BTreeMap::from([("dirty_pages".to_owned(), gauge)]),
            missing: Vec::new(),
        };
        ServerIntervalRecord { at_s: 1.0, phase: "measure".into(), load }
    }

    /// Returns a model after the given number of seconds.
    fn model(&self, seconds: u32) -> Model {
        let mut model = Model::default();
        begin(&mut model);
        phase(&mut model, "ramp-up", Some(Duration::from_secs(3)));
        for second in 0..seconds {
            if second == 3 {
                phase(&mut model, "measure", Some(Duration::from_mins(10)));
            }
            let record = self.interval(second);
            let name = record.phase.clone();
            if self.streams > 0 {
                let streams = (1..=self.streams).map(|session| StreamState {
                    session,
                    transaction: (session != 2).then(|| "q14".into()),
                    since: (session != 2).then_some(Duration::from_secs(1)),
                    done: 21 + u64::from(second),
                    failed: 1,
                    left: (session > 1).then_some(22),
                    remaining: Some(Duration::from_secs(12_345)),
                    ended: Vec::new(),
                });
                let (at, streams) = (Duration::from_secs(99), streams.collect());
                model.apply(&Event::Streams { at, streams });
            }
            interval(&mut model, record);
            let standing = Box::new(self.standing(&name));
            model.apply(&Event::Standing { standing });
            if self.watched {
                model.apply(&Event::Server { server: Box::new(self.server()) });
            }
        }
        model
    }
}

fn limit(expression: &str, measured: &str, passed: bool) -> ThresholdRecord {
    ThresholdRecord {
        expression: expression.into(),
        measured: Some(1.0),
        measured_text: measured.into(),
        passed,
    }
}

/// Applies the start of a measurement.
fn begin(model: &mut Model) {
    let mut plan = PlanRecord { workload: "work".into(), ..PlanRecord::default() };
    plan.target_name = "a_target_with_a_name_that_is_rather_long".into();
    (plan.load.sessions, plan.load.arrival.rate) = (64, Some(500.0));
    (plan.load.ramp_up, plan.load.ramp_down) = (Duration::from_secs(3), Duration::ZERO);
    plan.load.stop = Stop::After(Duration::from_mins(10));
    let record = Box::new(Record {
        format: String::new(),
        version: 0,
        id: "7q3f".into(),
        state: RunState::Incomplete,
        started_at: String::new(),
        tags: Vec::new(),
        note: None,
        tool_version: String::new(),
        plan,
        host: HostRecord::default(),
        server: ServerRecord::default(),
        data: None,
        result: None,
        repaired: false,
    });
    model.apply(&Event::Begins { run: record.id.clone(), record });
}

fn phase(model: &mut Model, phase: &str, length: Option<Duration>) {
    model.apply(&Event::Phase { phase: phase.into(), length });
}

fn interval(model: &mut Model, interval: IntervalRecord) {
    model.apply(&Event::Interval { interval: Box::new(interval) });
}

fn note(model: &mut Model, text: String) {
    model.apply(&Event::Note { text });
}

fn screen(model: &Model, ui: &Ui, (width, height): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| draw(model, ui, false, frame)).expect("a drawing");
    let buffer = terminal.backend().buffer();
    let row = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(row).collect()
}

/// Returns all words that contain a digit, except those in charts, because the axes depend on the
/// screen size.
fn figures(lines: &[String]) -> BTreeSet<String> {
    // The charts end at the horizontal line above the table.
    let table = lines.iter().position(|line| line.contains("transactions")).expect("a table");
    let charts = lines[..table].iter().filter(|line| line.contains('─') && !line.contains('└'));
    let rest = charts.chain(&lines[table + 1..]).chain(&lines[..1]);
    let words = rest.flat_map(|line| line.split([' ', '─']));
    let with_digit = words.filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    let legend = ["p50–95", "p99"];
    let whole = with_digit.filter(|word| !word.ends_with('…') && !legend.contains(word));
    whole.map(str::to_owned).collect()
}

#[test]
fn no_figure_is_cut_on_a_small_terminal() {
    for (number, load) in loads().into_iter().enumerate() {
        for seconds in [1, 4, 40] {
            let model = load.model(seconds);
            // On a screen of this size, nothing is omitted.
            let whole = figures(&screen(&model, &Ui::default(), (600, 120)));
            assert!(whole.len() > 10, "{whole:?}");
            for size in SIZES {
                let lines = screen(&model, &Ui::default(), size);
                let cut: Vec<String> = figures(&lines).difference(&whole).cloned().collect();
                assert!(cut.is_empty(), "load {number}, {size:?}: {cut:?}\n{}", lines.join("\n"));
            }
        }
    }
}

#[test]
fn shows_the_main_numbers_at_every_size() {
    for load in loads() {
        let model = load.model(9);
        for size in SIZES {
            let lines = screen(&model, &Ui::default(), size);
            let text = lines.join("\n");
            let all = load.standing("measure").transactions.pop().expect("a row");
            let us = |us: f64| Duration::from_nanos((us * 1e3) as u64);
            // If numbers are absurdly long, the median is omitted so that the maximum fits.
            let p50 = all.latency.p50_us.filter(|us| *us < 1e9).unwrap_or(all.latency.max_us);
            let p50 = tacho_core::units::latency(us(p50));
            let max = tacho_core::units::latency(us(all.latency.max_us));
            assert!(text.contains("64 sessions, 500/s"), "{text}");
            let wanted =
                ["MEASURE 00:06 / 10:00", "run 7q3f", "NOPM", "health", "q stop", &p50, &max];
            for word in wanted {
                assert!(text.contains(word), "{word:?} at {size:?}\n{text}");
            }
            assert!(text.contains("✗"), "a limit does not hold\n{text}");
            assert_eq!(text.contains("deadlock"), load.failures > 0, "{text}");
            assert_eq!(text.contains("─ database, "), load.watched, "{text}");
            assert_eq!(text.contains("streams ─"), load.streams > 0, "{text}");
            assert!(lines.iter().all(|line| line.chars().count() == usize::from(size.0)));
        }
    }
}

#[test]
fn draws_nothing_below_the_minimum_size() {
    for size in [(79, 24), (80, 23), (1, 1)] {
        let lines = screen(&FEW.model(9), &Ui::default(), size);
        assert!(lines.iter().all(|line| line.trim().is_empty()));
    }
}

#[test]
fn before_the_first_interval_nothing_is_claimed() {
    let mut model = Model::default();
    for size in SIZES {
        assert!(
            screen(&model, &Ui::default(), size).join("\n").contains("no interval has ended yet")
        );
    }
    begin(&mut model);
    phase(&mut model, "measure", None);
    for size in SIZES {
        let text = screen(&model, &Ui::default(), size).join("\n");
        assert!(text.contains("MEASURE 00:00") && text.contains("nothing measured yet"), "{text}");
    }
}

#[test]
fn every_kind_can_be_chosen_and_is_in_sight() {
    let load = Load { kinds: &MANY, queries: 22, ..FEW };
    let model = load.model(9);
    let tab = crossterm::event::KeyCode::Tab.into();
    let mut ui = Ui::default();
    let mut seen = BTreeSet::new();
    for _ in 0..28 {
        let text = screen(&model, &ui, (80, 24));
        let marked: Vec<&String> = text.iter().filter(|line| line.starts_with('▸')).collect();
        let [line] = marked.as_slice() else { panic!("one is marked: {}", text.join("\n")) };
        let name = line.trim_start_matches('▸').split_whitespace().next().expect("a name");
        assert!(text[1].contains(&format!(" {name} ")), "{name}: {}", text[1]);
        seen.insert(name.to_owned());
        ui.press(tab, &model);
    }
    assert_eq!(seen.len(), 28, "27 kinds and all of them: {seen:?}");
}

#[test]
fn a_paused_view_stays_and_messages_are_shown() {
    let mut model = FEW.model(5);
    let mut ui = Ui::default();
    ui.press(crossterm::event::KeyCode::Char('p').into(), &model);
    interval(&mut model, FEW.interval(5));
    let paused = ui.paused.clone().expect("what was known");
    assert!(screen(&paused, &ui, (80, 24))[0].contains("MEASURE 00:02"));
    assert!(screen(&model, &Ui::default(), (80, 24))[0].contains("MEASURE 00:03"));
    for number in 0..3 {
        note(&mut model, format!("message {number}\u{1b}[31m"));
    }
    let text = screen(&model, &ui, (100, 30)).join("\n");
    assert!(text.contains("! message 2 [31m (3 messages, all printed after the run)"), "{text}");
    assert!(text.contains("p continue") && text.contains("VIEW PAUSED"), "{text}");
}

#[test]
fn help_and_the_question_lie_over_the_screen() {
    let model = Load { failures: 7, ..FEW }.model(5);
    for size in SIZES {
        let of = |overlay| screen(&model, &Ui { overlay, ..Ui::default() }, size).join("\n");
        let help = of(Overlay::Help);
        assert!(help.contains("stop the run (asks first)"), "{help}");
        assert!(help.contains("--progress plain"), "how to get plain lines: {help}");
        assert!(of(Overlay::Stop).contains("Stop the run now and summarise?"));
    }
}

fn page(model: &Model, page: Page, size: (u16, u16)) -> Vec<String> {
    screen(model, &Ui { page, ..Ui::default() }, size)
}

#[test]
fn keys_lead_to_every_page_and_back() {
    use crossterm::event::KeyCode;
    let model = Load { failures: 7, watched: true, ..FEW }.model(9);
    let mut ui = Ui::default();
    let mut title_of = |key: KeyCode| {
        ui.press(key.into(), &model);
        let lines = screen(&model, &ui, (100, 30));
        assert!(lines[29].starts_with(" 1 overview  2 latency  3 waits  4 host  5 errors"));
        lines[1].clone()
    };
    let table = [
        ('2', "latency of first"),
        ('3', "sessions in the server by wait"),
        ('4', "client CPU, 64 cores"),
        ('5', "failed transactions, per second"),
        ('w', "sessions in the server by wait"),
        ('1', "NOPM"),
    ];
    for (key, title) in table {
        assert!(title_of(KeyCode::Char(key)).contains(title), "{key}");
    }
    assert!(title_of(KeyCode::Char('5')).contains("failed"));
    assert!(title_of(KeyCode::Esc).contains("NOPM"));
}

#[test]
fn errors_are_drawn_over_time_and_listed_by_class() {
    let model = Load { failures: 7, ..FEW }.model(9);
    for size in SIZES {
        let text = page(&model, Page::Errors, size).join("\n");
        assert!(text.contains("failed transactions, per second"), "{text}");
        assert!(text.contains("7  deadlock (40P01)  in first"), "{text}");
        assert!(text.contains("   deadlock detected: process 4711 waits for a lock"), "{text}");
    }
    let none = page(&FEW.model(9), Page::Errors, (80, 24)).join("\n");
    assert!(none.contains("errors so far") && none.contains(" none"), "{none}");
}

#[test]
fn waits_are_stacked_with_cpu_at_the_bottom() {
    let model = Load { watched: true, ..FEW }.model(20);
    for size in SIZES {
        let lines = page(&model, Page::Waits, size);
        let text = lines.join("\n");
        for name in ["CPU", "IO:a_very_long", "Lock:tuple"] {
            assert!(text.contains(name), "{name} at {size:?}\n{text}");
        }
        // The parts in the legend are in the same order as in the chart, from top to bottom.
        let place = |name: &str| lines.iter().position(|line| line.contains(name)).expect(name);
        assert!(place("Lock:tuple") < place("IO:a_very") && place("IO:a_very") < place("CPU"));
        let axis = lines.iter().position(|line| line.contains('└')).expect("an axis");
        let lowest: String = lines[axis - 1].chars().skip(8).take(20).collect();
        assert!(lowest.contains("████"), "CPU is at the bottom: {lowest}\n{text}");
    }
    let unwatched = page(&FEW.model(9), Page::Waits, (80, 24)).join("\n");
    assert!(unwatched.contains("no samples: the server reports no sessions"), "{unwatched}");
}

/// The number of sessions in the server does not include sessions that wait for their client.
#[test]
fn every_page_shows_the_same_number_of_sessions_in_the_server() {
    let mut model = FEW.model(3);
    let wait = |class: &str, event: &str, sessions: f64| WaitRecord {
        class: class.into(),
        event: event.into(),
        kind: None,
        sessions,
        share: sessions / 2.2,
    };
    let load = ServerLoadRecord {
        samples: 10,
        active_sessions: 2.2,
        waits: vec![
            wait("Client", "ClientRead", 1.6),
            wait("CPU", "", 0.44),
            wait("LWLock", "WALWrite", 0.16),
        ],
        ..ServerLoadRecord::default()
    };
    let record = ServerIntervalRecord { at_s: 3.0, phase: "measure".into(), load };
    model.apply(&Event::Server { server: Box::new(record) });
    for size in SIZES {
        let overview = screen(&model, &Ui::default(), size).join("\n");
        assert!(overview.contains("database, 0.60 in the server"), "{overview}");
        let waits = page(&model, Page::Waits, size).join("\n");
        assert!(waits.contains("sessions in the server by wait · 0.60 now"), "{waits}");
        for shown in [overview, waits] {
            assert!(!shown.contains("ClientRead") && !shown.contains("2.20"), "{shown}");
        }
    }
}

/// After the load, the clock of the measured phase disappears, and the title shows the current step
/// instead.
#[test]
fn the_title_names_the_step_after_the_load() {
    let mut model = FEW.model(9);
    let title = |model: &Model| screen(model, &Ui::default(), (100, 30))[0].clone();
    assert!(title(&model).contains("MEASURE 00:06 / 10:00"), "{}", title(&model));
    model.apply(&Event::Ending { step: "checking the data".into() });
    let ending = title(&model);
    assert!(ending.contains("CHECKING THE DATA") && !ending.contains("MEASURE"), "{ending}");
}

#[test]
fn a_wait_has_its_colour_wherever_it_stands() {
    let colors = |waits: &[(&str, &str, f64)]| {
        let mut model = FEW.model(3);
        let load = ServerLoadRecord {
            samples: 10,
            waits: waits
                .iter()
                .map(|(class, event, sessions)| WaitRecord {
                    class: (*class).into(),
                    event: (*event).into(),
                    kind: None,
                    sessions: *sessions,
                    share: 0.1,
                })
                .collect(),
            ..ServerLoadRecord::default()
        };
        let record = ServerIntervalRecord { at_s: 3.0, phase: "measure".into(), load };
        model.apply(&Event::Server { server: Box::new(record) });
        let ui = Ui { color: true, page: Page::Waits, ..Ui::default() };
        let mut terminal = Terminal::new(TestBackend::new(100, 30)).expect("a terminal");
        terminal.draw(|frame| draw(&model, &ui, false, frame)).expect("a drawing");
        let buffer = terminal.backend().buffer().clone();
        let text = screen(&model, &ui, (100, 30));
        let of = move |name: &str| {
            let y = text.iter().position(|line| line.contains(name)).expect("a row of the key");
            let row: Vec<char> = text[y].chars().collect();
            let at =
                (0..row.len()).find(|at| row[*at..].iter().collect::<String>().starts_with(name));
            buffer[(at.expect("a place") as u16 - 2, y as u16)].fg
        };
        [of("Lock:tuple"), of("IO:WALSync"), of("CPU")]
    };
    let first = colors(&[("Lock", "tuple", 5.0), ("IO", "WALSync", 1.0), ("CPU", "", 0.1)]);
    let other = colors(&[
        ("CPU", "", 9.0),
        ("Net", "x", 8.0),
        ("IO", "WALSync", 5.0),
        ("Lock", "tuple", 0.2),
    ]);
    assert_eq!(first, other);
    let [lock, io, cpu] = first;
    assert!(lock != io && io != cpu && cpu != lock, "three sorts, three colours: {first:?}");
}

#[test]
fn a_large_terminal_is_filled_and_data_stays_off_the_words_of_axes() {
    let load = Load { kinds: &MANY[..5], watched: true, failures: 3, ..FEW };
    let model = load.model(300);
    let lines = page(&model, Page::Overview, (200, 50));
    let text = lines.join("\n");
    let empty = lines.iter().filter(|line| line.trim().is_empty()).count();
    assert!(empty <= 4, "{empty} rows are empty\n{text}");
    for title in ["NOPM", "latency of a", "sessions in the server by wait", "client CPU, 64 cores"]
    {
        assert!(text.contains(title), "{title}\n{text}");
    }
    // At least one chart must be wide enough to fill more than half of the screen.
    let widest = lines.iter().map(|line| line.chars().filter(|c| *c == '█').count()).max();
    assert!(widest > Some(100), "{text}");
    for line in &lines {
        let Some(axis) = line.chars().position(|c| c == '│') else { continue };
        let words: String = line.chars().take(axis).collect();
        assert!(!words.contains(['█', '▓', '░', '·', '▒']), "data in the words of an axis: {line}");
    }
}

#[test]
fn the_colours_are_those_of_the_report() {
    let style = include_str!("../../report/assets/style.css");
    let theme = |number: usize| {
        let key = format!("--c{number}: #");
        style.split(&key).skip(1).map(|rest| hue(hex(&rest[..6]))).collect::<Vec<_>>()
    };
    let model = Load { watched: true, ..FEW }.model(20);
    let ui = Ui { color: true, page: Page::Waits, ..Ui::default() };
    let mut terminal = Terminal::new(TestBackend::new(100, 30)).expect("a terminal");
    terminal.draw(|frame| draw(&model, &ui, false, frame)).expect("a drawing");
    let cells = terminal.backend().buffer().content();
    let cpu = cells.iter().find(|cell| cell.symbol() == "█" && cell.fg != Color::Indexed(245));
    let Some(Color::Indexed(number)) = cpu.map(|cell| cell.fg) else { panic!("no colour of 256") };
    let color = hue(cube(number));
    for other in theme(2) {
        let apart = (color - other).rem_euclid(360.0).min((other - color).rem_euclid(360.0));
        assert!(apart < 30.0, "CPU has the hue {color:.0} here and {other:.0} in the report");
    }
}

fn hex(text: &str) -> [f64; 3] {
    [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&text[at..at + 2], 16).expect("a colour")))
}

/// Returns the colour of a number from 16 to 231 in the 256-colour palette.
fn cube(number: u8) -> [f64; 3] {
    let place = number - 16;
    [place / 36, place / 6 % 6, place % 6]
        .map(|level| if level == 0 { 0.0 } else { 55.0 + 40.0 * f64::from(level) })
}

fn hue([r, g, b]: [f64; 3]) -> f64 {
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let range = (most - least).max(1.0);
    let sixth = match most {
        m if (m - r).abs() < 1e-9 => (g - b) / range,
        m if (m - g).abs() < 1e-9 => (b - r) / range + 2.0,
        _ => (r - g) / range + 4.0,
    };
    (sixth * 60.0).rem_euclid(360.0)
}

#[test]
fn draws_no_color_without_the_color_option() {
    let model = Load { failures: 7, watched: true, ..FEW }.model(9);
    let count = |color: bool| {
        let mut terminal = Terminal::new(TestBackend::new(100, 30)).expect("a terminal");
        let ui = Ui { color, ..Ui::default() };
        terminal.draw(|frame| draw(&model, &ui, false, frame)).expect("a drawing");
        let cells = terminal.backend().buffer().content();
        cells.iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
    };
    assert!(count(true) > 100);
    assert_eq!(count(false), 0);
}

#[test]
fn help_and_keys_fit_on_a_small_terminal() {
    let model = FEW.model(5);
    for (watches, paused) in [(false, false), (true, true)] {
        let mut ui = Ui { overlay: Overlay::Help, watches, ..Ui::default() };
        if paused {
            ui.paused = Some(Box::new(model.clone()));
        }
        let lines = screen(&model, &ui, (80, 24));
        let below = lines.iter().skip_while(|line| !line.contains("─ help"));
        let text: Vec<&str> = below.map(|line| line.trim_end()).collect();
        assert!(text.len() > 15 && !text.concat().contains('…'), "{}", text.join("\n"));
        if !watches {
            insta::assert_snapshot!(text.join("\n"));
        }
    }
}

#[test]
fn the_whole_screen() {
    let load = Load { kinds: &MANY[..5], watched: true, failures: 3, ..FEW };
    let mut model = load.model(40);
    note(&mut model, "the server keeps no statistics of statements".into());
    let lines = screen(&model, &Ui::default(), (100, 30));
    let text: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    insta::assert_snapshot!(text.join("\n"));
}
