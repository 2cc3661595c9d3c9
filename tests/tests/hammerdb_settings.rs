//! Scripts without a server: settings that remain in effect, and the output of scripts with mistakes.

use crate::hammerdb::{console, in_order, part, script};
use tacho_tests::Folder;

/// Settings for a nonexistent server, so that commands that need the server fail immediately.
const NOWHERE: &str =
    "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port 1\n";

#[test]
fn only_values_of_the_test_driver_can_be_hidden() {
    let folder = Folder::new();
    folder.write("own.tcl", "puts {TEST RESULT : of its own}\nerror broken\n");
    let text = format!(
        "{NOWHERE}vuset showoutput 0\nvuset logtotemp 1\ncheckschema\ncustomscript own.tcl\nvurun\nvudestroy\n\
         print vuconf"
    );
    let done = script(&folder, &text).exits(3);
    in_order(
        &done,
        &[
            "Vuser 1:Checking tpcc TPROC-C schema",
            "Vuser 1:FINISHED FAILED",
            "Vuser 1:TEST RESULT : of its own",
            "Error in Virtual User 1: broken",
            "Show Output = 0",
        ],
    );
    done.says(&["Error in Virtual User 1: TPROC-C Schema check failed tpcc schema "]);
    // The setting applies only to the script that changed it.
    script(&folder, "print vuconf").exits(0).says(&["Show Output = 1", "Log Output = 1"]);
}

#[test]
fn a_custom_script_remains_loaded_until_another_one_is_needed() {
    let folder = Folder::new();
    folder.write("own.tcl", "puts {OWN SCRIPT}\n");
    let cleared = "Clearing Script, reload script to activate new setting\nScript cleared\n";
    let same = "customscript own.tcl\ndiset tpcc pg_driver timed\ndiset connection pg_driver test\n\
                dbset db pg\ndbset bm TPC-C\nvurun\nvudestroy\nputs \"== END\"\n";
    let done = script(&folder, &format!("dbset db pg\n{same}")).exits(0);
    done.says(&["Vuser 1:OWN SCRIPT", "is the same as existing value timed, no change made"]);
    assert!(!done.out.contains("Clearing Script"), "{}", done.out);
    for other in ["diset tpcc pg_driver test", "dbset db maria", "dbset bm TPROC-H"] {
        let folder = Folder::new();
        folder.write("own.tcl", "puts {OWN SCRIPT}\n");
        let text = format!("dbset db pg\ncustomscript own.tcl\n{other}\nprint script\n");
        let done = script(&folder, &text).exits(0);
        done.says(&[cleared, "No Script loaded: Load with loadscript"]);
    }
}

#[test]
fn white_space_around_values_is_removed() {
    let folder = Folder::new();
    let done = script(
        &folder,
        "dbset db pg\ndiset tpcc pg_superuser \" boss\"\ndiset tpcc pg_count_ware \" 2 \"\n\
         diset tpcc pg_driver \"\\ttest\\n\"\ndiset tpcc pg_pass \" a b \"\ndiset tpcc pg_tspace { }\n\
         giset commandline keepalive_margin \" 9 \"\nvuset vu \" 3 \"\nvuset logtotemp \" 1\"\n\
         tcset refreshrate \" 5 \"\ndgset vu \" 1 \"\nprint dict\nprint vuconf",
    );
    let done = done.exits(0);
    in_order(
        &done,
        &[
            "Changed tpcc:pg_superuser from postgres to boss for PostgreSQL",
            "Changed tpcc:pg_count_ware from 1 to 2 for PostgreSQL",
            "Changed tpcc:pg_driver from timed to test for PostgreSQL",
            "Changed tpcc:pg_tspace from pg_default to  for PostgreSQL",
            "Changed commandline:keepalive_margin from 60 to 9 for generic",
            "Transaction Counter refresh rate set to 5",
            "Set virtual users to 1 for data generation",
            "Virtual Users = 3",
            "Log Output = 1",
        ],
    );
    let file = String::from_utf8(folder.read("tacho-hammerdb-settings.json")).expect("text");
    assert!(file.contains("\"pg_pass\": \"a b\""), "{file}");
}

#[test]
fn a_pipe_tells_of_wrong_commands_by_its_exit_code() {
    let folder = Folder::new();
    let input = |words: &str, text: &str| {
        folder.write("input", text);
        console(&folder, words).input(&folder.file("input"))
    };
    let done = input("", "dbset db pg\nnosuch command\nputs WENT_ON\n").exits(2);
    done.says(&["Database set to PostgreSQL", "WENT_ON"]);
    done.complains(&["invalid command name \"nosuch\""]);
    input("", "nosuch\nexit\n").exits(2);
    input("", "nosuch\nexit 0\n").exits(0);
    input("", "if 1 {\nputs NEVER\n").exits(2).complains(&["missing close-brace"]);
    input("", "dbset db ora\nbuildschema\nputs WENT_ON\n").exits(2).says(&["WENT_ON"]);
    input("", "catch nosuch\ndbset db pg\n").exits(0);
    let done = input("py", "dbset('db', 'pg')\nnosuch()\nprint('WENT_ON')\n").exits(2);
    done.says(&["Database set to PostgreSQL", "WENT_ON"]).complains(&["NameError"]);
    input("py", "if 1:\nnosuch\n").exits(2);
    input("py", "nosuch\nexit()\n").exits(2);
    input("py", "nosuch\nexit(7)\n").exits(7);
    input("py", "nosuch\nexit(0)\n").exits(0);
    input("py", "dbset('db', 'pg')\n").exits(0);
}

#[test]
fn errors_name_no_procedure_of_tacho() {
    let folder = Folder::new();
    folder.write("bad.tcl", "proc inner {} {\nerror broken\n}\ninner\n");
    folder.write("own.tcl", "pg_connect -conninfo {host = 127.0.0.1 port = 1}\n");
    folder.write("channel.tcl", "puts nosuch text\n");
    let text = "dbset db pg\nforeach call {{source nosuch.tcl} {source bad.tcl} source} {\n\
                puts \"== $call\"\ncatch $call message\nputs $message\nputs $::errorInfo\n}\nputs \"== users\"\n\
                foreach file {own channel} {\ncustomscript $file.tcl\nvurun\nvudestroy\n}\nputs \"== END\"\n\
                source bad.tcl\n";
    let done = script(&folder, text).exits(2);
    for output in [&done.out, &done.err] {
        assert!(!output.contains("::hammerdb"), "{output}");
    }
    let missing = part(&done, "source nosuch.tcl");
    assert!(missing.contains("couldn't read file \"nosuch.tcl\""), "{missing}");
    let broken = part(&done, "source bad.tcl");
    assert!(broken.contains("(file \"bad.tcl\" line 4)"), "{broken}");
    let wrong = part(&done, "source");
    assert!(wrong.contains("should be \"source ?-encoding name? fileName\""), "{wrong}");
    let users = part(&done, "users");
    for words in ["\"pg_connect ", "can not find channel named \"nosuch\""] {
        assert!(users.contains(words), "no {words} in {users}");
    }
    done.complains(&["broken", "(procedure \"inner\" line 2)", "(file \"bad.tcl\" line 4)"]);
}

#[test]
fn settings_of_earlier_scripts_are_named_before_they_have_an_effect() {
    let folder = Folder::new();
    let first = format!(
        "{NOWHERE}diset tpcc pg_count_ware 7\ndiset tpcc pg_pass geheim\nvuset vu 3\ndiset tpcc pg_rampup 2\n\
         checkschema\n"
    );
    // The script's own settings are not reported as coming from earlier scripts.
    let first = script(&folder, &first).exits(3);
    assert!(!first.out.contains("earlier scripts"), "{}", first.out);
    let second = script(&folder, "diset tpcc pg_count_ware 7\ncheckschema\ncheckschema\n").exits(3);
    let line =
        second.out.lines().find(|line| line.starts_with("Settings from earlier scripts apply: "));
    let line = line.unwrap_or_else(|| panic!("no line: {}", second.out));
    for named in
        ["connection:pg_port 1", "tpcc:pg_pass ***", "virtual_user_options:virtual_users 3"]
    {
        assert!(line.contains(named), "no {named} in {line}");
    }
    assert!(line.ends_with("tacho-hammerdb-settings.json to start with the defaults"), "{line}");
    // The message lists neither the settings made by this script nor those that have their default values.
    for other in ["pg_count_ware", "pg_rampup", "geheim"] {
        assert!(!line.contains(other), "{other}: {line}");
    }
    in_order(&second, &[line, "Checking schema with 1 Virtual User"]);
    assert_eq!(second.out.matches("earlier scripts").count(), 1, "{}", second.out);
    assert!(!second.err.contains("earlier scripts"), "{}", second.err);
    // This script uses none of the earlier settings, so the message about them is not printed.
    let quiet = script(&folder, "print db\n").exits(0);
    assert!(!quiet.out.contains("earlier scripts"), "{}", quiet.out);
}

#[test]
fn variables_and_procedures_of_hammerdb_are_there() {
    let folder = Folder::new();
    let text = "dbset db pg\ndbset bm TPROC-H\ndiset connection pg_host db1\ndiset tpch pg_tpch_pass geheim\n\
                vuset vu 3\nvuset iterations 2\ndgset vu 1\n\
                puts \"$rdbms|$bm|$virtual_users|$suppo|$ntimes|$gen_num_vu|$gen_count_ware|$jobid\"\n\
                puts [dict get $configpostgresql connection pg_host]|[dict get $configmariadb tpcc maria_rampup]\n\
                puts [dict get $dbdict PostgreSQL prefix]|[dict get $configpostgresql tpch pg_tpch_pass]\n\
                putscli TEXT\nkeepalive\n_waittocomplete\n_runtimer 9\nputs [string length [guid]]\n\
                foreach bm {TPROC-C TPROC-H} { dbset bm $bm; puts \"OWN $bm\" }";
    let done = script(&folder, text).exits(0);
    in_order(&done, &["PostgreSQL|TPC-H|3|1|2|1|1|", "db1|2", "pg|***", "TEXT", "24"]);
    // A variable set by the script keeps its value.
    in_order(&done, &["OWN TPROC-C", "OWN TPROC-H"]);
    assert!(!done.out.contains("geheim"), "{}", done.out);
}
