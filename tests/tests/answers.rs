//! The output of commands that inspect or clean up must not change by a single byte, because programs may parse it.

use serde_json::Value;
use tacho_tests::Folder;

const QUIET: &str = "-o quiet --progress none";

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// Returns the items of a list in the JSON output.
fn entries(values: &Value) -> Vec<String> {
    let line = |entry: &Value| format!("{:12} {}", word(entry, "name"), word(entry, "about"));
    values.as_array().expect("a list").iter().map(line).collect()
}

#[test]
fn a_list_has_a_line_for_each_entry() {
    let folder = Folder::new();
    folder.write("tacho.toml", "[targets.shop]\nurl = \"sqlite:shop.db\"\n");
    let lists = folder.tacho("list -o json").exits(0).json();
    let mut all = Vec::new();
    for (name, values) in lists.as_object().expect("lists") {
        let lines = entries(values);
        if lines.is_empty() {
            all.push(format!("{name}\n  none; to start a private server, use tacho up\n"));
            folder.tacho(&format!("list {name}")).exits(0).complains(&["no servers\n\n  hint: "]);
        } else {
            all.push(format!("{name}\n  {}\n", lines.join("\n  ")));
            let alone = folder.tacho(&format!("list {name}")).exits(0).out;
            assert_eq!(alone, lines.join("\n") + "\n");
        }
    }
    assert_eq!(folder.tacho("list").exits(0).out, all.join("\n"));
    assert!(all.join("").contains("targets\n  shop         sqlite:shop.db\n"), "{all:?}");
}

#[test]
fn the_version_has_four_lines() {
    let folder = Folder::new();
    let version = folder.tacho("version -o json").exits(0).json();
    let joined = |key: &str| {
        let words = version[key].as_array().expect("a list").iter();
        words.map(|word| word.as_str().expect("a word")).collect::<Vec<_>>().join(", ")
    };
    let expected = format!(
        "tacho {}\nsystem     {}\ndrivers    {}\nworkloads  {}\n",
        word(&version, "version"),
        word(&version, "system"),
        joined("drivers"),
        joined("workloads")
    );
    assert_eq!(folder.tacho("version").exits(0).out, expected);
}

#[test]
fn a_workload_is_described_in_sections() {
    let folder = Folder::new();
    let workload = folder.tacho("describe tprocc -o json").exits(0).json();
    let text = folder.tacho("describe tprocc").exits(0).out;
    let text: String = text.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    let sections: Vec<&str> = text.split("\n\n").collect();
    let list = |key: &str| workload[key].as_array().expect("a list").clone();
    let (profiles, parameters) = (list("profiles"), list("parameters"));
    assert_eq!(
        sections[0],
        format!("tprocc  {}\n{}", word(&workload, "title"), word(&workload, "notice"))
    );
    assert!(sections[1].starts_with("Scale: "), "{text}");
    let about = profiles.iter().enumerate().map(|(index, profile)| {
        let default = if index == 0 { " (default)" } else { "" };
        format!("\n  {:13} {}{default}", word(profile, "id"), word(profile, "about"))
    });
    assert_eq!(sections[2], format!("Profiles{}", about.collect::<String>()));
    let find = |key: &str| parameters.iter().find(|parameter| word(parameter, "key") == key);
    let mut rest = sections[3..].iter();
    for profile in &profiles {
        let values = profile["values"].as_object().expect("values").iter();
        let switches = values.filter_map(|(key, value)| {
            let parameter = find(key).filter(|parameter| parameter["default"] != *value)?;
            let clause = parameter["deviates_from"].as_str();
            let clause = clause.map_or_else(String::new, |clause| format!("  ({clause})"));
            Some(format!("\n  {key}={}{clause}", value.as_str().expect("a value")))
        });
        let switches: String = switches.collect();
        if !switches.is_empty() {
            let title =
                format!("Profile {}: values that differ from the defaults", word(profile, "id"));
            assert_eq!(*rest.next().expect("a section"), title + &switches);
        }
    }
    let help = |parameter: &Value| {
        format!("\n      {} ({})", word(parameter, "help"), word(parameter, "allowed"))
    };
    let plain = parameters.iter().filter(|parameter| parameter["deviates_from"].is_null());
    let plain = plain.map(|parameter| {
        let value = format!("\n  {} = {}", word(parameter, "key"), word(parameter, "default"));
        value.trim_end().to_owned() + &help(parameter)
    });
    let title = "Parameters (--set key=value)".to_owned();
    assert_eq!(*rest.next().expect("a section"), title + &plain.collect::<String>());
    let deviations = parameters.iter().filter(|parameter| !parameter["deviates_from"].is_null());
    let deviations = deviations.map(|parameter| {
        let key = word(parameter, "key");
        let values = profiles.iter().enumerate().filter_map(|(at, profile)| {
            let value = profile["values"][key].as_str().unwrap_or(word(parameter, "default"));
            let is_shown = at == 0 || value != word(parameter, "default");
            is_shown.then(|| format!("  {}={value}", word(profile, "id")))
        });
        let values: String = values.collect();
        let standard = word(parameter, "deviates_from");
        format!("\n  {key}{values}{}\n      standard: {standard}", help(parameter))
    });
    let section = rest.next().expect("a section");
    let mut length = "Deviations, each a separate parameter".len();
    for deviation in deviations {
        assert!(section.contains(&deviation), "no {deviation} in {section}");
        length += deviation.len();
    }
    assert_eq!(section.len(), length, "{section}");
    assert!(rest.next().expect("the page").starts_with("# "), "{text}");
}

#[test]
fn a_driver_is_described_with_its_storage_options() {
    let folder = Folder::new();
    let driver = folder.tacho("describe postgres -o json").exits(0).json();
    let options = driver["storage"].as_array().expect("options").iter();
    let options =
        options.map(|option| format!("\n  {:13} {}", word(option, "key"), word(option, "help")));
    let expected = format!(
        "postgres  {}\nTested with: {}\n\nStorage options (--storage key=value){}\n\n# ",
        word(&driver, "title"),
        word(&driver, "tested"),
        options.collect::<String>()
    );
    let text = folder.tacho("describe postgres").exits(0).out;
    assert!(text.starts_with(&expected), "{text}\nis not\n{expected}");
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
}

#[test]
fn what_was_written_and_removed_is_said_with_the_next_commands() {
    let folder = Folder::new();
    assert_eq!(
        folder.tacho("init workload shop").exits(0).out,
        "✓ Created the folder shop\nNext   tacho prepare ./shop sqlite:bench.db\n       tacho run ./shop sqlite:bench.db\n"
    );
    folder.tacho(&format!("prepare tpcb sqlite:a.db?synchronous=off {QUIET}")).exits(0);
    let clean = || folder.tacho("clean tpcb sqlite:a.db --yes").exits(0).out;
    let removed = clean();
    assert!(
        removed.starts_with("✓ Removed pgbench_") && removed.ends_with(" from sqlite:a.db\n"),
        "{removed}"
    );
    assert_eq!(removed.lines().count(), 1, "{removed}");
    assert_eq!(clean(), "sqlite:a.db contains no Tacho data; nothing to do\n");
    assert_eq!(folder.tacho("down").exits(0).out, "there are no private servers; nothing to do\n");
}

#[test]
fn runs_are_labelled_and_pruned_in_a_line_each() {
    let folder = Folder::new();
    folder.tacho(&format!("run tprocc sim: -d 10s {QUIET}")).exits(0);
    let id = word(&folder.record("latest"), "id").to_owned();
    let says = |call: &str, expected: &str| {
        assert_eq!(folder.tacho(call).exits(0).out, format!("{id}: {expected}\n"), "{call}");
    };
    says("runs tag latest base slow", "base, slow");
    says("runs tag latest --remove base slow", "no tags");
    says("runs note latest 'a note'", "a note");
    says("runs note latest ''", "no note");
    let pruned = folder.tacho("runs prune --keep 0 --dry-run").exits(0).out;
    let lines: Vec<&str> = pruned.lines().collect();
    let path = &folder.runs()[0];
    let size = lines[0]
        .strip_prefix(&format!("{id}  "))
        .and_then(|rest| rest.strip_suffix(&format!("  {}", path.display())));
    let size = size.unwrap_or_else(|| panic!("{pruned}"));
    assert_eq!(lines[1..], [format!("1 run would be removed, {size}")]);
}

#[test]
fn a_plan_of_an_attribution_has_each_change_below_its_group() {
    let folder = Folder::new();
    let sides = "--from spec --to spec,target.latency=2ms,mix=deck --dry-run";
    let call = format!("attribute tprocc 'sim:?latency=1ms' {sides} --check none");
    let groups = folder.tacho(&format!("{call} -o json")).exits(0).json();
    let line = |group: &Value| {
        let changes = group["changes"].as_array().expect("changes").iter();
        let changes = changes.map(|change| format!("  {}\n", change.as_str().expect("a change")));
        format!("{}\n{}", word(group, "title"), changes.collect::<String>())
    };
    let expected: String = groups.as_array().expect("groups").iter().map(line).collect();
    let done = folder.tacho(&call).exits(0);
    assert_eq!(done.out, expected);
    done.says(&["target.latency\n  target.latency: not set, then 2ms\n"]);
    done.complains(&["2 groups of differences, "]);
}

#[test]
fn settings_to_restore_are_listed_below_their_target() {
    let folder = Folder::new();
    let nothing = "there are no changes to undo; nothing to do\n";
    assert_eq!(folder.tacho("restore").exits(0).out, nothing);
    assert_eq!(folder.tacho("restore --list").exits(0).out, nothing);
    let journal = r#"{"format": "tacho-journal", "version": 1, "sweep": "s1",
        "started_at": "2026-01-02T03:04:05+00:00", "target": "pg9", "server": null,
        "process": 1, "process_started": "0", "settings": [
        {"name": "work_mem", "value": "4MB", "stored": null, "restart": false},
        {"name": "max_connections", "value": "100", "stored": null, "restart": true}]}"#;
    std::fs::create_dir_all(folder.file("tacho-data/journals")).expect("a folder");
    folder.write("tacho-data/journals/s1-pg9.json", journal);
    assert_eq!(
        folder.tacho("restore --list").exits(0).out,
        "pg9, changed by sweep s1, which started at 2026-01-02T03:04:05+00:00\n  work_mem was 4MB\n  \
         max_connections was 100  (requires a restart of the server)\n"
    );
    let failed = folder.tacho("restore").done();
    assert!(failed.out.starts_with("✗ pg9: ") && failed.out.lines().count() == 1, "{failed:?}");
    failed.complains(&["\n  hint: "]);
}

#[test]
fn a_private_server_is_described_from_its_start_to_its_end() {
    let folder = Folder::open();
    let made = folder.tacho("up postgres --name first").exits(0).out;
    let again = folder.tacho("up first").exits(0).out;
    let server = folder.tacho("up first -o json").exits(0).json();
    let (path, target, version) =
        (word(&server, "folder"), word(&server, "target"), word(&server, "version"));
    let head = |what: &str| {
        let (pid, port) = (&server["pid"], &server["port"]);
        format!("✓ PostgreSQL {version} {what}: first, process {pid}, port {port}, in {path}\n")
    };
    let rest = format!(
        "\ntarget  {target}\n        or first, wherever a target is expected\n\n\
         next    tacho prepare tprocc first\n        tacho run tprocc first\n        tacho down first\n"
    );
    assert_eq!(made, head("runs") + &rest);
    assert_eq!(again, head("is already running") + &rest);
    let what = format!("postgres {version}");
    assert_eq!(
        folder.tacho("list servers").exits(0).out,
        format!("{:12} {:9} {what:18} {target}\n", "first", "running")
    );
    assert_eq!(
        folder.tacho("down first --keep-data").exits(0).out,
        format!(
            "✓ first stopped; its data remains in {path}; start it again with tacho up first\n"
        )
    );
    assert_eq!(
        folder.tacho("down --all").exits(0).out,
        format!("✓ first was not running; removed {path}\n")
    );
}
