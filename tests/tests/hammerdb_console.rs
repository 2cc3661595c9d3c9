//! Tests of HammerDB commands that need no server: messages, languages and missing features.

use crate::hammerdb::{MINUTE, console, in_order, place, script};
use tacho_tests::{Done, Folder};

#[test]
fn settings_are_told_as_hammerdb_tells_them() {
    let folder = Folder::new();
    let done = script(
        &folder,
        "dbset db nosuch\ndbset db maria\ndbset bm tpc-x\ndbset bm tproc-c\ndbset\n\
         diset tpcc maria_rampup 1\ndiset tpcc maria_rampup 1\ndiset tpcc ob_tenant_name t\n\
         diset connection maria_user u\ndiset nosuch maria_user u\ndiset tpcc maria_user\n\
         diset tpcc maria_driver fast\nloadscript\ndiset tpcc maria_driver test\n\
         giset commandline keepalive_margin 1\ngiset theme scaling auto\n\
         vuset vu many\nvuset vu 0\nvuset delay -1\nvuset showoutput 2\nvuset nosuch 1\n\
         tcset refreshrate 60\ntcset refreshrate 5\nmetset agent_id x\ndgset ware 5\ndgset warehouse 1\ndgset vu 0\ndgset vu 3\n\
         print nosuch\nprint script\nvudestroy\nvustatus\nvucomplete\nwaittocomplete\nruntimer 5\n\
         diset tpcc maria_pass geheim\nprint dict\nprint vuconf\nputs LAST",
    );
    let done = done.exits(0);
    in_order(
        &done,
        &[
            "Unknown prefix nosuch, choose one from ora mssqls db2 mysql maria pg",
            "Database set to MariaDB",
            "Unknown benchmark TPC-X, choose one from TPROC-C TPROC-H (or compatible names TPC-C TPC-H)",
            "Benchmark set to TPROC-C for MariaDB",
            "Usage: dbset [db|bm] value",
            "Changed tpcc:maria_rampup from 2 to 1 for MariaDB",
            "Value 1 for tpcc:maria_rampup is the same as existing value 1, no change made",
            "Dictionary \"tpcc\" for MariaDB exists but key \"ob_tenant_name\" doesn't, key \
             \"ob_tenant_name\" cannot be found in any MariaDB dictionary",
            "Dictionary \"connection\" for MariaDB exists but key \"maria_user\" doesn't, key \
             \"maria_user\" is in the \"tpcc\" dictionary",
            "Type \"print dict\" for valid dictionaries and keys for MariaDB",
            "Dictionary \"nosuch\" for MariaDB does not exist",
            "Type \"print dict\" for valid dictionaries and keys for MariaDB",
            "Error: Invalid number of arguments",
            "Usage: diset dict key value",
            "Type \"print dict\" for valid dictionaries and keys for MariaDB",
            "Error: Driver script must be either \"test\" or \"timed\"",
            "Script loaded, Type \"print script\" to view",
            "Clearing Script, reload script to activate new setting",
            "Script cleared",
            "Changed tpcc:maria_driver from timed to test for MariaDB",
            "Changed commandline:keepalive_margin from 60 to 1 for generic",
            "The number of virtual users must be an integer",
            "setting to value: 1",
            "The number of virtual users must be 1 or greater",
            "User Delay(ms) must be 0 or greater",
            "setting to value: 500",
            "Show Output must be 0 or 1",
            "Error: invalid option",
            "Refresh rate must be more than 0 secs and less than 60 secs",
            "Transaction Counter refresh rate set to 5",
            // This option is called `ware` in HammerDB's help, but `warehouse` in its code.
            "Set warehouses to 5 for data generation",
            "Set warehouses to 1 for data generation",
            "No Script loaded: Load with loadscript",
            "No Virtual Users found to destroy",
            "No Virtual Users found",
            "waittocomplete command has been deprecated and is not required for version v6.0",
            "Changed tpcc:maria_pass from *** to *** for MariaDB",
            "Dictionary Settings for MariaDB",
            "connection {",
            "tpcc {",
            "Virtual Users = 1",
            "LAST",
        ],
    );
    assert!(!done.out.contains("geheim"), "{}", done.out);
    done.says(&["Set virtual users to 3 for data generation\n\
         Error:Build virtual users must be less than or equal to number of warehouses\n\
         You have 3 virtual users building 1 warehouses\n"]);
}

#[test]
fn what_is_not_there_fails_and_can_be_caught() {
    let refused = [
        ("dbset db ora", "buildschema", "instance is oracle"),
        ("dbset db mssqls; diset connection mssqls_linux_authent entra", "checkschema", "entra"),
        ("dbset db db2; diset tpcc db2_tab_list 9", "checkschema", "db2_def_tab"),
        (
            "dbset db db2; dbset bm TPROC-H; diset tpch db2_tpch_organizeby HASH",
            "buildschema",
            "NONE, ROW, COL or DATE",
        ),
        (
            "dbset db pg; dbset bm TPROC-H; diset tpch pg_cloud_query true; diset tpch pg_rs_compat true",
            "vurun",
            "pg_rs_compat",
        ),
        ("dbset db pg; diset tpcc pg_oracompat true", "buildschema", "pg_oracompat"),
        ("dbset db pg; diset tpcc pg_oracompat true", "deleteschema", "EDB"),
        (
            "dbset db mysql; dbset bm TPROC-H; diset tpch mysql_tpch_obcompat true",
            "checkschema",
            "OceanBase",
        ),
        (
            "dbset db mysql; dbset bm TPROC-H; diset tpch mysql_tpch_obcompat true",
            "tcstart",
            "mysql_tpch_obcompat",
        ),
        (
            "dbset db pg; dbset bm TPROC-H; diset tpch pg_tpch_gpcompat true",
            "deleteschema",
            "Greenplum",
        ),
        ("dbset db maria; diset tpcc maria_connect_pool true", "vurun", "mariacpool.xml"),
        ("dbset db ora", "datagenrun", "instance is oracle"),
        ("dbset db pg", "customscript x.tcl", "x.tcl failed to load"),
        ("dbset db pg", "cilisten", "pipelines"),
    ];
    for (before, command, words) in refused {
        // Settings that are saved in a folder must apply to later scripts in this folder.
        let folder = Folder::new();
        let text = format!(
            "{before}\nif {{ [ catch {{ {command} }} message ] }} {{ puts \"CAUGHT $message\" }}\n\
             puts LAST"
        );
        let done = script(&folder, &text).exits(0);
        let caught = done.out.lines().find(|line| line.starts_with("CAUGHT Error: "));
        assert!(caught.is_some_and(|line| line.contains(words)), "{command}: {}", done.out);
        done.says(&["LAST"]);
        let uncaught = script(&folder, &format!("{before}\n{command}\nputs LAST")).exits(2);
        uncaught.complains(&["error: ", "hint: ", words]);
        assert!(!uncaught.out.contains("LAST"), "{}", uncaught.out);
    }
}

#[test]
fn values_that_do_not_fit_are_told_when_they_are_used() {
    let folder = Folder::new();
    let done = script(
        &folder,
        "dbset db pg\ndiset tpcc pg_num_vu none\nbuildschema\ndiset tpcc pg_num_vu 2\nbuildschema\n\
         diset tpcc pg_num_vu 1\ndiset tpcc pg_count_ware x\nbuildschema\nputs LAST",
    );
    let done = done.exits(2);
    in_order(
        &done,
        &[
            "Error: Number of virtual users to build schema must be a positive integer",
            "Error:Build virtual users must be less than or equal to number of warehouses",
            "You have 2 virtual users building 1 warehouses",
            "Error: pg_count_ware is \"x\" but must be a whole number of at least 1",
            "LAST",
        ],
    );
}

#[test]
fn tcl_is_real() {
    let folder = Folder::new();
    folder.write("part.tcl", "proc twice { x } { return [ expr { 2 * $x } ] }\n");
    let done = script(
        &folder,
        "source part.tcl\nputs \"twice [ twice 21 ]\"\nputs [ exec echo from a shell ]\n\
         puts [ string is entier [ clock seconds ] ]\nafter 50 { set ::done 1 }\nvwait ::done\n\
         set channel [ open \"|cat\" r+ ]\nfconfigure $channel -blocking 0 -buffering line\n\
         fileevent $channel readable { set ::line [ gets $channel ] }\nputs $channel hello\n\
         vwait ::line\nputs \"heard $::line\"\nputs [ info exists ::env(TMP) ]\n\
         rename puts other\nproc puts { args } { other \"<[ lindex $args end ]>\" }\n\
         dbset db pg\nrename puts {}\nrename other puts\nset ws [ numberOfWHs ]\n\
         puts \"[ expr { $ws >= 10 } ] [ findtempdir ]\"\nexit 7",
    );
    let done = done.exits(7);
    in_order(&done, &["twice 42", "from a shell", "1", "heard hello", "1"]);
    done.says(&["\n<Database set to PostgreSQL>\n", "Shutting down HammerDB CLI"]);
    let temp = format!("1 {}", folder.path().display());
    in_order(&done, &[&temp]);
}

#[test]
fn errors_of_a_script_come_with_the_stack_of_tcl() {
    let folder = Folder::new();
    let done = script(&folder, "puts BEFORE\nproc inner {} { error broken }\ninner\n").exits(2);
    done.complains(&["error: ", "broken", "(procedure \"inner\" line 1)", "invoked from within"]);
    done.complains(&["line 3", "hint: "]).says(&["BEFORE"]);
    let open = script(&folder, "dbset db pg\nif { 1 } {\nputs x\n").exits(2);
    open.complains(&["missing close-brace"]);
    console(&folder, "auto nosuch.tcl").exits(2).is_error().complains(&["nosuch.tcl not found"]);
    console(&folder, "auto").exits(2).is_error();
    let python = folder.file("bad.py");
    folder.write("bad.py", "dbset('db', 'pg')\nprint(nosuch)\n");
    let python = console(&folder, &format!("py auto {}", python.display())).exits(2);
    python.says(&["Database set to PostgreSQL"]).complains(&["Traceback", "line 2", "nosuch"]);
}

#[test]
fn a_missing_library_is_told_with_the_package() {
    let folder = Folder::new();
    folder.write("a.tcl", "dbset db pg\n");
    let call = console(&folder, "auto a.tcl").env("TACHO_HAMMERDB_TCL", "/nowhere/libtcl.so");
    call.exits(3).is_error().complains(&["/nowhere/libtcl.so", "apt-get install tcl8.6"]);
    // Python scripts do not need Tcl if they only call commands.
    folder.write("a.py", "dbset('db', 'pg')\nprint('CPUS', int(tclpy.eval('numberOfCPUs')) > 0)\n");
    let call = console(&folder, "py auto a.py").env("TACHO_HAMMERDB_TCL", "/nowhere/libtcl.so");
    call.exits(0).says(&["Database set to PostgreSQL", "CPUS True"]);
}

#[test]
fn a_console_takes_lines_from_a_pipe() {
    let folder = Folder::new();
    let lines =
        "dbset db pg\nset a {\nx y}\nnosuchcommand\nnumberOfCPUs\nhelp vurun\nprint db\nquit\n";
    folder.write("lines", lines);
    let done = console(&folder, "").input(&folder.file("lines")).exits(2);
    done.says(&[
        "Type \"help\" for a list of commands",
        "Database set to PostgreSQL",
        "Usage: vurun",
    ]);
    done.says(&["Database PostgreSQL set.", "Shutting down HammerDB CLI"]);
    done.complains(&["invalid command name \"nosuchcommand\""]);
    let shell =
        "ln -s \"$TACHO\" hammerdbcli && echo 'puts LINKED' > l.tcl && ./hammerdbcli auto l.tcl";
    folder.shell(shell).exits(0).says(&["LINKED"]);
}

/// Types into a terminal and returns the output. Each pair contains a text to wait for, and what to type after it has
/// appeared.
fn typed(folder: &Folder, pairs: &[[&str; 2]]) -> Done {
    typed_into(folder, "tcl", pairs)
}

fn typed_into(folder: &Folder, language: &str, pairs: &[[&str; 2]]) -> Done {
    place(folder, "typed.py", &[]);
    let quoted: Vec<String> = pairs.iter().flatten().map(|text| format!("'{text}'")).collect();
    let line = format!("python3 typed.py \"$TACHO\" {language} {}", quoted.join(" "));
    let call = folder.shell(&line).env("TERM", "xterm").env("TACHO_HAMMERDB_MINUTE", MINUTE);
    call.env("TMP", &folder.path().display().to_string()).done()
}

#[test]
fn a_terminal_edits_completes_and_takes_what_is_pasted() {
    let folder = Folder::new();
    let done = typed(
        &folder,
        &[
            ["hammerdb>", "dbset db p\\t\\r"],
            ["Database set to PostgreSQL", "dise\\t tpcc pg_ramp\\t 0\\r"],
            [
                "for PostgreSQL",
                "putz EDITED\\x1b[D\\x1b[D\\x1b[D\\x1b[D\\x1b[D\\x1b[D\\x1b[D\\x7fs\\r",
            ],
            // These lines are typed before the prompt appears. They are not marked as pasted text.
            ["EDITED", "proc greet { who } {\\r puts \"hi $who\"\\r}\\rgreet ahead\\r"],
            ["hi ahead", "\\x1b[200~proc pasted { } {\\n puts PASTED\\n}\\npasted\\x1b[201~\\r"],
            // Ctrl-C must discard the whole command that has been typed so far.
            ["PASTED", "proc begun { } {\\r"],
            ["> ", "half\\x03"],
            ["hammerdb>", "puts GIVEN_UP\\r"],
            // Repeat the previous line, and then leave the console with Ctrl-D.
            ["\\r\\nGIVEN_UP\\r\\n", "\\x1b[A\\r"],
            ["\\r\\nGIVEN_UP\\r\\n", ""],
            ["hammerdb>", "\\x04"],
        ],
    );
    done.expect_code(0);
    done.says(&["Changed tpcc:pg_rampup from 2 to 0", "hi ahead", "PASTED"]);
}

#[test]
fn at_a_terminal_the_prompt_comes_back_when_what_goes_on_is_stopped() {
    let folder = Folder::new();
    folder.write("loop.tcl", "puts LOOPING\nwhile { 1 } { after 10 }\n");
    let done = typed(
        &folder,
        &[
            ["hammerdb>", "dbset db pg; customscript loop.tcl; foreach n {1 2} { catch vurun }\\r"],
            ["Vuser 1:LOOPING", "\\x03"],
            ["stopped by the user", ""],
            ["hammerdb>", "after 300 { set later CAME }; vwait later; puts $later\\r"],
            ["\\r\\nCAME\\r\\n", ""],
            // Ctrl-C must also interrupt Tcl itself. The lines typed so far are kept.
            ["hammerdb>", "puts WHILE; while { 1 } { after 10 }\\r"],
            ["\\r\\nWHILE\\r\\n", "\\x03"],
            ["stopped by the user", ""],
            // Ctrl-C must also stop a loop that does nothing, inside or outside a procedure.
            ["hammerdb>", "puts EMPTY; while 1 {}\\r"],
            ["\\r\\nEMPTY\\r\\n", "\\x03"],
            ["stopped by the user", ""],
            ["hammerdb>", "proc never {} { while 1 {} }; puts PROC; never\\r"],
            ["\\r\\nPROC\\r\\n", "\\x03"],
            ["stopped by the user", ""],
            ["hammerdb>", "vudestroy; puts \"$later AGAIN\"\\r"],
            ["\\r\\nCAME AGAIN\\r\\n", ""],
            ["hammerdb>", "\\x03"],
            ["hammerdb>", "\\x04"],
        ],
    );
    // The exit code must show that a signal has stopped the script.
    done.expect_code(130);
    in_order(
        &done,
        &[
            "Vuser 1:FINISHED FAILED",
            "ALL VIRTUAL USERS COMPLETE",
            "vudestroy success",
            "No Virtual Users found to destroy",
        ],
    );
    assert_eq!(done.out.matches("Vuser 1:LOOPING").count(), 1, "{}", done.out);
    assert!(!done.out.contains("eval unwound"), "{}", done.out);
}

#[test]
fn in_python_too_the_prompt_comes_back() {
    let folder = Folder::new();
    folder.write("loop.tcl", "puts LOOPING\nwhile { 1 } { after 10 }\n");
    let done = typed_into(
        &folder,
        "python",
        &[
            ["hammerdb>>>", "dbset(\"db\", \"pg\"); customscript(\"loop.tcl\"); vurun()\\r"],
            ["Vuser 1:LOOPING", "\\x03"],
            ["KeyboardInterrupt", ""],
            ["hammerdb>>>", "import time; print(\"SLEEP\" + \"ING\"); time.sleep(60)\\r"],
            ["SLEEPING", "\\x03"],
            ["KeyboardInterrupt", ""],
            ["hammerdb>>>", "print(\"LOOP\" + \"ING\"); exec(\"while True: pass\")\\r"],
            ["LOOPING", "\\x03"],
            ["KeyboardInterrupt", ""],
            ["hammerdb>>>", "vustatus(); print(\"STILL\" + \"HERE\")\\r"],
            ["STILLHERE", ""],
            ["hammerdb>>>", "\\x04"],
        ],
    );
    done.expect_code(130);
    done.says(&["Vuser 1:FINISHED FAILED", "vudestroy success", "No Virtual Users found"]);
}

#[test]
fn scripts_from_other_systems_and_with_arguments_are_run() {
    let folder = Folder::new();
    // The script starts with a byte order mark, has Windows line endings, and contains a brace in a comment. It must
    // still run.
    let tcl = "\u{feff}# made elsewhere: é }\r\ndbset db pg\r\nif { 1 } {\r\n    puts \"$argc of\"\r\n\
               }\r\nforeach word $argv { puts \"<$word>\" }\r\n";
    folder.write("other.tcl", tcl);
    let done = console(&folder, "auto other.tcl one 'two words'").exits(0);
    in_order(&done, &["Database set to PostgreSQL", "2 of", "<one>", "<two words>"]);
    let python = "\u{feff}# made elsewhere: é {\r\nimport sys\r\ndbset('db', 'pg')\r\n\
                  print(len(sys.argv), sys.argv[1:])\r\n";
    folder.write("other.py", python);
    let done = console(&folder, "py auto other.py one 'two words'").exits(0);
    in_order(&done, &["Database set to PostgreSQL", "3 ['one', 'two words']"]);
}

#[test]
fn a_script_may_be_started_where_nothing_can_be_written() {
    let folder = Folder::new();
    folder.write("own.tcl", "puts WORKED\n");
    let path = folder.file("own.tcl").display().to_string();
    folder.write(
        "script.tcl",
        &format!("dbset db pg\ncustomscript {path}\nputs [ vurun ]\nputs [ jobs joblist ]\n"),
    );
    folder.write("next.tcl", "puts \"KEPT [ llength [ jobs joblist ] ]\"\n");
    // Not even root can write to this folder.
    let call = |script: &str| {
        let line =
            format!("cd /proc && \"$TACHO\" hammerdb auto {}", folder.file(script).display());
        folder.shell(&line).env("TMP", &folder.path().display().to_string()).exits(0)
    };
    call("script.tcl").says(&["Vuser 1:WORKED", "\nBenchmark Run jobid="]);
    call("next.tcl").says(&["KEPT 1"]);
    assert!(folder.names().contains(&"tacho-data".to_owned()), "{:?}", folder.names());
}

#[test]
fn a_log_that_cannot_be_written_is_told_and_the_run_goes_on() {
    let folder = Folder::new();
    folder.write("own.tcl", "puts WORKED\n");
    folder.write(
        "script.tcl",
        "dbset db pg\nvuset logtotemp 1\ncustomscript own.tcl\nvurun\nvudestroy\nputs LAST\n",
    );
    folder.shell("ln -s /dev/full hammerdb.log").exits(0);
    let done = console(&folder, "auto script.tcl").exits(3);
    in_order(&done, &["Vuser 1:WORKED", "ALL VIRTUAL USERS COMPLETE", "LAST"]);
    done.says(&["Error: cannot write ", "hammerdb.log: No space left on device", "hint: "]);
    assert!(!done.out.contains("Logging activated"), "{}", done.out);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "scripts are files")]
fn scripts_are_read_in_the_encoding_that_they_have() {
    let folder = Folder::new();
    // This is a byte string, because ordinary string literals are always encoded in UTF-8.
    let latin = b"# caf\xe9 }\nputs \"LATIN \xfc\"\n";
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.file(name), bytes).expect("a file can be written");
    };
    write("latin.tcl", latin);
    write("latin.py", b"# caf\xe9\nprint('LATIN \xfc')\n");
    folder.write("marked.tcl", "\u{feff}puts \"MARKED ü – 漢 😀\"\n");
    folder.write(
        "main.tcl",
        "\u{feff}# Größe\nsource latin.tcl\nputs [ file tail [ info script ] ]\nproc inner {} { source \
         marked.tcl }\ninner\nputs \"CAUGHT [ catch { source nosuch.tcl } text ] $text\"\nset f [ open o.txt \
         w ]\nputs $f ü–\nclose $f\ndbset db pg\ncustomscript latin.tcl\nvurun\n",
    );
    for locale in ["C", "C.UTF-8"] {
        let done = console(&folder, "auto main.tcl").env("LC_ALL", locale).exits(0);
        in_order(
            &done,
            &[
                "LATIN ü",
                "main.tcl",
                "MARKED ü – 漢 😀",
                "CAUGHT 1 couldn't read file \"nosuch.tcl\": no such file or directory",
                "Vuser 1:LATIN ü",
            ],
        );
        assert_eq!(folder.read("o.txt"), "ü–\n".as_bytes());
        for file in ["latin.tcl", "marked.tcl"] {
            let typed = console(&folder, "").env("LC_ALL", locale).input(&folder.file(file));
            typed.exits(0).says(&[" ü"]);
        }
        console(&folder, "py auto latin.py").env("LC_ALL", locale).exits(0).says(&["LATIN ü"]);
    }
}

#[test]
fn a_script_is_translated_without_being_run() {
    let folder = Folder::new();
    folder.write(
        "job.tcl",
        "dbset db pg\ndiset connection pg_host db1\ndiset tpcc pg_count_ware 50\n\
         diset tpcc pg_pass secret\ndiset tpcc pg_num_vu 4\ndiset tpcc pg_rampup 1\nexec touch ran\n\
         diset tpcc pg_duration 3\ndiset tpcc pg_allwarehouse true\nbuildschema\n\
         foreach z { 1 8 } { vuset vu $z; vucreate; set r [ vurun ]\n\
         while { ![ vucomplete ] } { after 1000 }\nvudestroy }\nfile mkdir made\nvwait forever\n\
         set f [ open out.txt w ]\nputs $f $r\nclose $f\ndeleteschema\nexit\n",
    );
    let done = folder.tacho("import hammerdb job.tcl").exits(0);
    done.says(&[
        "[targets.postgres]\nurl = \"postgres:?host=db1&port=5432&user=tpcc",
        "[run.vu1-1]",
    ]);
    done.says(&["sessions = \"8\"", "ramp_up = \"1m\"", "duration = \"3m\""]);
    done.says(&["#   tacho prepare tprocc postgres --scale 50 --profile hammerdb --sessions 4"]);
    done.says(&["#   tacho run vu8-2", "#   tacho clean tprocc postgres --yes", "PGPASSWORD"]);
    assert!(!done.out.contains("secret"), "{}", done.out);
    assert_eq!(folder.names(), ["job.tcl"]);
    // The printed settings must be a valid settings file.
    folder.write("tacho.toml", &done.out);
    folder.tacho("config check").exits(0);
    folder.tacho("run vu8-2 --dry-run").exits(0).says(&["hammerdb", "db1"]);
}

/// Returns the installation of Tcl 9.0 that `cargo xtask servers` has downloaded, or `None` if there is none. It
/// contains its own C library.
fn nine() -> Option<std::path::PathBuf> {
    let tree = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/servers/tcl-9.0");
    tree.canonicalize().ok().filter(|tree| tree.is_dir())
}

#[test]
fn tcl_9_does_what_8_6_does() {
    // If Tcl 9 is missing, `cargo xtask test` prints that this test is skipped.
    let Some(tree) = nine() else { return };
    let folder = Folder::new();
    folder.write("own.tcl", "puts \"user $::hammerdb::user of [info tclversion]\"\nafter 10\n");
    folder.write(
        "nine.tcl",
        "puts \"Tcl [info tclversion]\"\nafter 50 { set ::done 1 }\nvwait ::done\n\
         puts [clock format 0 -gmt 1 -format %Y]\nputs \"LETTERS \\u2014 \\u03b1\"\n\
         rename puts other\nproc puts { args } { other \"<[ lindex $args end ]>\" }\n\
         dbset db pg\nrename puts {}\nrename other puts\ndiset tpcc pg_pass {a {b} \\$c}\n\
         ciset common listen_port 5000\ncustomscript own.tcl\nvuset vu 3\nvucreate\nset r [vurun]\n\
         vudestroy\nputs \"RETURNED $r\"\ndbset db ora\nputs \"CAUGHT [catch vurun message] $message\"\n\
         proc inner {} { error broken }\ninner\n",
    );
    // Use a locale with one byte per character, as in a container. The downloaded Tcl runs with its own C library.
    let call = format!(
        "tree={}\nfor loader in \"$tree\"/usr/lib/*/ld-linux*; do break; done\nlib=${{loader%/*}}\n\
         export LC_ALL=C TCL_LIBRARY=$tree/usr/lib/tcl9.0 TCL9_0_TM_PATH=$tree/usr/lib/tcl9.0/tcl9\n\
         export TMP=$PWD TACHO_HAMMERDB_TCL=$lib/libtcl9.0.so\n\
         \"$loader\" --library-path \"$lib\" \"$TACHO\" hammerdb auto nine.tcl",
        tree.display()
    );
    let done = folder.shell(&call).exits(2);
    in_order(
        &done,
        &[
            "Tcl 9.0",
            "1970",
            "LETTERS \u{2014} \u{3b1}",
            "<Database set to PostgreSQL>",
            "Changed tpcc:pg_pass from *** to *** for PostgreSQL",
            "Loaded own.tcl",
            "3 Virtual Users Created",
            "ALL VIRTUAL USERS COMPLETE",
            "vudestroy success",
        ],
    );
    done.says(&[
        "Vuser 3:user 3 of 9.0\n",
        "\nRETURNED Benchmark Run jobid=",
        "CAUGHT 1 Error: vurun",
    ]);
    // This message comes from the console, not from the script. Its dash is not an ASCII character, and must be printed
    // correctly.
    done.says(&["Value unchanged (5000) \u{2014} "]);
    done.complains(&["broken", "(procedure \"inner\" line 1)", "invoked from within"]);
}
