//! The environment of Python scripts: commands as functions, and names that HammerDB's scripts use.

use crate::hammerdb::{console, in_order, script};
use tacho_tests::Folder;

fn python(folder: &Folder, text: &str) -> tacho_tests::Call {
    folder.write("script.py", text);
    console(folder, "py auto script.py")
}

#[test]
fn commands_are_functions_as_in_hammerdb() {
    let folder = Folder::new();
    folder.write("part.py", "answer = 6 * 7\n");
    folder.write("part.tcl", "proc twice { x } { return [ expr { 2 * $x } ] }\n");
    let done = python(
        &folder,
        "from hammerdb import *\nimport hammerdb\n\
         hammerdb.dbset('db maria')\ndiset('tpcc maria_count_ware 5')\ndiset('tpcc maria_pass {a b}')\n\
         diset('tpcc', 'maria_num_vu', 2)\nprint('dict')\nprint('dictionary')\nprint('a', 'b', sep='-')\n\
         help()\nhelp('vurun')\nhelp(vuset)\nsource('part.py')\nprint('ANSWER', answer)\n\
         source('part.tcl')\nprint('TWICE', tclpy.eval('twice 21'))\n\
         print('VERSION', tclversion().startswith(('8.6', '9.')))\n\
         print('GLOBALS', tclpy.eval('set hdb_version; list $hdb_version [dict get $genericdict benchmark rdbms]'))\n\
         print(len(jobs()) > 0, jobs('NOSUCH', 'result'))\n",
    );
    in_order(
        &done.exits(0),
        &[
            "Database set to MariaDB",
            "Changed tpcc:maria_count_ware from 1 to 5 for MariaDB",
            "Changed tpcc:maria_num_vu from 1 to 2 for MariaDB",
            "Dictionary Settings for MariaDB",
            "dictionary",
            "a-b",
            "vurun - Run the loaded script",
            "ANSWER 42",
            "TWICE 42",
            "VERSION True",
            "GLOBALS v6.0 MariaDB",
            "True None",
        ],
    );
}

/// After an unhandled exception, a script exits with the same code as after a Tcl error.
#[test]
fn an_exception_ends_a_script_as_an_error_of_tcl_does() {
    let folder = Folder::new();
    let text = "dbset('db', 'ora')\ntry:\n    buildschema()\nexcept Exception as e:\n    print('CAUGHT', e)\nvurun()\n";
    let done = python(&folder, text).exits(2);
    done.says(&["CAUGHT Error: buildschema was not run"]);
    done.complains(&["line 6", "tnsnames.ora", "set instance to"]);
    assert!(!done.err.contains("_ask"), "{}", done.err);
    script(&folder, "dbset db ora\nvurun\n").exits(2).complains(&["tnsnames.ora"]);
    python(&folder, "import sys\nsys.exit(7)\n").exits(7);
}

/// Settings apply to the next script in either language, until the settings file is removed.
#[test]
fn settings_are_kept_until_their_file_is_removed() {
    let folder = Folder::new();
    python(&folder, "dbset('db', 'pg')\ndiset('tpcc', 'pg_count_ware', 7)\nvuset('vu', 3)\n")
        .exits(0);
    let show = "print db\nprint vuconf\nprint dict\nputs [ dict get $genericdict virtual_user_options virtual_users ]";
    let done = script(&folder, show).exits(0);
    done.says(&["Database PostgreSQL set.", "Virtual Users = 3"]);
    let is_kept = |line: &str| line.starts_with(" pg_count_ware ") && line.ends_with(" = 7");
    assert!(done.out.lines().any(is_kept), "{}", done.out);
    let file = String::from_utf8(folder.read("tacho-hammerdb-settings.json")).expect("text");
    // Default passwords are not treated as secrets set by a script.
    assert!(file.contains("\"pg_count_ware\": \"7\"") && !file.contains("pass"), "{file}");
    // Each temporary folder has its own settings file, so a new folder starts with the defaults.
    folder.shell("mkdir other").exits(0);
    let other = folder.path().join("other").display().to_string();
    console(&folder, "auto script.tcl").env("TMP", &other).exits(0).says(&["Database Oracle set."]);
    folder.write("tacho-hammerdb-settings.json", "{");
    let broken = script(&folder, "puts NOT_REACHED").exits(2);
    broken.complains(&["invalid settings file", "hint: remove the file"]);
    assert!(!broken.out.contains("NOT_REACHED"), "{}", broken.out);
    folder.shell("rm tacho-hammerdb-settings.json").exits(0);
    script(&folder, show).exits(0).says(&["Database Oracle set.", "Virtual Users = 1"]);
}
