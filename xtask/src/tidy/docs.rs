//! The reference pages are complete: what users can write or meet is explained there, and links
//! between pages lead somewhere.
//!
//! The tables are read from source text, so that nothing has to be built. Start reading at
//! [`check`]; [`notices`] and [`exit_codes`] also feed `cargo xtask docs`.

use super::Violation;
use super::rust::{Source, words};
use super::tree::{File, Tree};

const RULE: &str = "docs";
const FOLDER: &str = "docs/reference";
/// The table of contents of the site.
const CONTENTS: &str = "docs/SUMMARY.md";

/// Where the settings of a run are declared.
const SETTINGS: &str = "crates/config/src/settings.rs";
/// Where the reasons for INVALID and the warnings are listed.
pub const NOTICES: &str = "crates/app/src/run/notices.rs";
/// Where the exit codes are declared.
pub const EXIT_CODES: &str = "crates/app/src/exit.rs";

/// A reason for INVALID, or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Such as `V01`.
    pub id: String,
    /// Such as `rate-not-reached`.
    pub name: String,
    /// The hint for the user.
    pub hint: String,
    /// Line of the list, from 1.
    pub line: usize,
}

/// An exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitCode {
    /// Such as 130.
    pub code: u8,
    /// What it means, from the comment above it.
    pub meaning: String,
    /// Line of the declaration, from 1.
    pub line: usize,
}

/// Something that a page must mention.
struct Demand {
    line: usize,
    /// What it is, for the message.
    what: String,
    /// The page in the folder of the reference.
    page: String,
    /// A line that begins with this, or text that stands anywhere, is a mention.
    mention: Mention,
}

enum Mention {
    Anywhere(String),
    LineStart(String),
}

/// Checks every setting, notice, exit code, driver and parameter of a workload, and every link.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        let demands = match file.path.as_str() {
            SETTINGS => settings(file),
            NOTICES => notice_demands(file),
            EXIT_CODES => exit_demands(file),
            path => match path.split('/').collect::<Vec<_>>()[..] {
                ["workloads", workload, "src", "params.rs"] => parameters(file, workload),
                ["drivers", driver, "docs.md"] => vec![driver_demand(driver)],
                _ => continue,
            },
        };
        if demands.is_empty() {
            let text = "nothing is found in this table: mend xtask/src/tidy/docs.rs";
            found.push(Violation::new(&file.path, 1, RULE, text));
        }
        found.extend(demands.iter().filter_map(|demand| unmet(tree, &file.path, demand)));
    }
    found.extend(tree.files.iter().filter(|file| file.is("md")).flat_map(|f| dead_links(tree, f)));
    found.extend(unlisted(tree));
    found
}

/// Pages that the site would not have, since its table of contents does not list them.
fn unlisted(tree: &Tree) -> Vec<Violation> {
    let Some(contents) = tree.files.iter().find(|file| file.path == CONTENTS) else {
        return Vec::new();
    };
    let pages = tree.files.iter().filter(|file| file.is("md") && file.path != CONTENTS);
    let pages = pages.filter_map(|file| file.path.strip_prefix("docs/"));
    pages
        .filter(|page| !contents.text.contains(&format!("]({page})")))
        .map(|page| Violation::new(CONTENTS, 1, RULE, format!("the page {page} is not listed")))
        .collect()
}

fn unmet(tree: &Tree, path: &str, demand: &Demand) -> Option<Violation> {
    let page = format!("{FOLDER}/{}", demand.page);
    let text = tree.file(&page).map_or("", |file| file.text.as_str());
    let met = match &demand.mention {
        Mention::Anywhere(words) => text.contains(words),
        Mention::LineStart(words) => text.lines().any(|line| line.starts_with(words)),
    };
    let text = format!("{} is not in {page}", demand.what);
    (!met).then(|| Violation::new(path, demand.line, RULE, text))
}

fn settings(file: &File) -> Vec<Demand> {
    let keys = file.rust.as_ref().map_or_else(Vec::new, |source| first_texts(source, &["one("]));
    key_demands(keys, "setting", "settings.md")
}

fn parameters(file: &File, workload: &str) -> Vec<Demand> {
    let marks = ["key:", "switch(", "choice("];
    let keys = file.rust.as_ref().map_or_else(Vec::new, |source| first_texts(source, &marks));
    key_demands(keys, "parameter", &format!("{workload}.md"))
}

fn key_demands(keys: Vec<(usize, String)>, what: &str, page: &str) -> Vec<Demand> {
    let demand = |(line, key): (usize, String)| Demand {
        line,
        what: format!("the {what} {key}"),
        page: page.to_owned(),
        mention: Mention::Anywhere(format!("`{key}`")),
    };
    keys.into_iter().map(demand).collect()
}

fn driver_demand(driver: &str) -> Demand {
    Demand {
        line: 1,
        what: format!("the driver {driver}"),
        page: "drivers.md".into(),
        mention: Mention::LineStart(format!("## {driver}")),
    }
}

/// The first text after each of these marks, with its line; declarations of functions and fields
/// have none before their end.
fn first_texts(source: &Source, marks: &[&str]) -> Vec<(usize, String)> {
    let text = &source.uncommented;
    let mut found: Vec<(usize, String)> = Vec::new();
    for mark in marks {
        for at in marked(text, mark) {
            let line = text[..at].matches('\n').count() + 1;
            let declared = text[..at].ends_with("fn ");
            let key = first_text(text, &text[at + mark.len()..]);
            if let Some(key) =
                key.filter(|key| !key.is_empty() && !declared && !source.is_test(line))
            {
                found.push((line, key.to_owned()));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The first text in `after` with nothing but names, commas and brackets before it, as in
/// `(DATA, Data), ["target"`; or the text of a constant of the file that is named there, as in `KEY,`.
fn first_text<'a>(file: &'a str, after: &'a str) -> Option<&'a str> {
    let (before, value) = after.split_once('"')?;
    let is_name = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | ',' | '(' | ')' | '[') || c.is_whitespace()
    };
    if before.chars().all(is_name) {
        return value.split('"').next();
    }
    let name = after.trim_start().split(|c: char| !c.is_ascii_uppercase() && c != '_').next()?;
    let (_, value) = file.split_once(&format!("const {name}: &str = \""))?;
    value.split('"').next()
}

/// The positions of a mark whose first part is a whole word.
fn marked<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = usize> + 'a {
    let word = mark.trim_end_matches(['(', ':']);
    words(text, word).filter(move |at| text[*at..].starts_with(mark))
}

/// All notices in their list.
pub fn notices(source: &Source) -> Vec<Notice> {
    let texts: Vec<_> = source.literals.iter().filter(|text| !source.is_test(text.line)).collect();
    let entry = |window: &[&super::rust::Literal]| {
        let [id, name, hint] = window else { return None };
        is_notice_id(&id.text).then(|| Notice {
            id: id.text.clone(),
            name: name.text.clone(),
            hint: unwrapped(&hint.text),
            line: id.line,
        })
    };
    texts.windows(3).filter_map(entry).collect()
}

fn is_notice_id(text: &str) -> bool {
    let digits = text.strip_prefix(['V', 'W']);
    digits.is_some_and(|digits| digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// A literal without the line breaks that its writer hid.
fn unwrapped(text: &str) -> String {
    text.split("\\\n").map(str::trim_start).collect()
}

fn notice_demands(file: &File) -> Vec<Demand> {
    let list = file.rust.as_ref().map_or_else(Vec::new, notices);
    let demand = |Notice { id, name, line, .. }: Notice| Demand {
        line,
        what: format!("the notice {id} {name}"),
        page: "notices.md".into(),
        mention: Mention::LineStart(format!("## {id} {name}")),
    };
    list.into_iter().map(demand).collect()
}

/// All exit codes with the comments above them.
pub fn exit_codes(text: &str) -> Vec<ExitCode> {
    let mut found = Vec::new();
    let mut comment = String::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if let Some(more) = content.strip_prefix("///") {
            comment.push(' ');
            comment.push_str(more.trim());
            continue;
        }
        let meaning = std::mem::take(&mut comment).trim().to_owned();
        if let Some((_, number)) = content.split_once(" = ")
            && let Ok(code) = number.trim_end_matches(',').parse()
        {
            found.push(ExitCode { code, meaning, line });
        }
    }
    found
}

fn exit_demands(file: &File) -> Vec<Demand> {
    let demand = |ExitCode { code, line, .. }: ExitCode| Demand {
        line,
        what: format!("the exit code {code}"),
        page: "exit-codes.md".into(),
        mention: Mention::LineStart(format!("| {code} |")),
    };
    exit_codes(&file.text).into_iter().map(demand).collect()
}

/// Links from one file of the repository to another that is not there.
fn dead_links(tree: &Tree, file: &File) -> Vec<Violation> {
    let mut found = Vec::new();
    for (line, content) in (1..).zip(file.text.lines()) {
        for rest in content.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            let target = target.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains(':') && !is_there(tree, &file.path, target) {
                let text = format!("the link to {target} leads nowhere");
                found.push(Violation::new(&file.path, line, RULE, text));
            }
        }
    }
    found
}

fn is_there(tree: &Tree, from: &str, target: &str) -> bool {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    let path = parts.join("/");
    let folder = format!("{path}/");
    tree.files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|found| found.to_string()).collect()
    }

    #[test]
    fn each_page_is_on_the_site() {
        let contents = (CONTENTS, "- [A](guides/a.md)\n");
        let pages = [("docs/guides/a.md", "# A"), ("docs/guides/b.md", "# B"), ("other.md", "# C")];
        let found = texts(&[contents, pages[0], pages[1], pages[2]]);
        assert_eq!(found, ["docs/SUMMARY.md:1: docs: the page guides/b.md is not listed"]);
    }

    #[test]
    fn settings_must_be_in_their_page() {
        let source = "const fn one(key: &'static str) -> S { f(\"no\") }\nconst S: &[S] = &[\n    \
                      one((DATA, Data), [\"target\", \"NAME\"], Text, \"\",\n        \"A database\"),\n    \
                      short('s', one((DATA, Build), [\"scale\", \"N\"])),\n];\n";
        let both = "`target` and `scale`\n";
        assert_eq!(
            texts(&[(SETTINGS, source), ("docs/reference/settings.md", both)]),
            Vec::<String>::new()
        );
        assert_eq!(
            texts(&[(SETTINGS, source), ("docs/reference/settings.md", "`target`\n")]),
            [format!("{SETTINGS}:5: docs: the setting scale is not in docs/reference/settings.md")]
        );
        assert_eq!(texts(&[(SETTINGS, source)]).len(), 2);
    }

    #[test]
    fn parameters_must_be_in_the_page_of_their_workload() {
        let path = "workloads/w/src/params.rs";
        let source = "struct E { key: &'static str }\n\
                      const fn switch(key: &str, help: &str) -> E { E { key } }\n\
                      const T: [E; 4] = [E { key: \"one\" }, shaping(switch(\n    \"two\", \"help\")),\n\
                      choice(\"three\", &[\"a\", \"b\"]), E { key: FIVE, kind: f(\"x\") }];\n\
                      const FIVE: &str = \"five\";\n\
                      #[cfg(test)]\nmod tests { fn f() { switch(\"four\", \"\"); } }\n";
        let page = ("docs/reference/w.md", "`one` `three` `five`\n");
        assert_eq!(
            texts(&[(path, source), page]),
            [format!("{path}:3: docs: the parameter two is not in docs/reference/w.md")]
        );
    }

    #[test]
    fn each_driver_needs_a_section() {
        let files = [("drivers/x/docs.md", "# x\n"), ("docs/reference/drivers.md", "## y\n")];
        assert_eq!(
            texts(&files),
            ["drivers/x/docs.md:1: docs: the driver x is not in docs/reference/drivers.md"]
        );
    }

    #[test]
    fn each_notice_needs_a_section() {
        let source = "const fn entry() {\n (\"V01\", \"too-bad\", \"do this \\\n    and that\");\n \
                      (\"W02\", \"so-so\", \"wait\")\n}\n";
        let list = notices(&Source::read(source));
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].hint, "do this and that");
        assert_eq!((list[1].id.as_str(), list[1].line), ("W02", 4));
        let page = ("docs/reference/notices.md", "## V01 too-bad\n\nSee also W02 so-so.\n");
        assert_eq!(
            texts(&[(NOTICES, source), page]),
            [format!(
                "{NOTICES}:4: docs: the notice W02 so-so is not in docs/reference/notices.md"
            )]
        );
    }

    #[test]
    fn each_exit_code_needs_a_row() {
        let source = "pub enum Exit {\n    /// Done;\n    /// all is well.\n    Success = 0,\n    \
                      /// Stopped.\n    Stopped = 130,\n}\n";
        let list = exit_codes(source);
        assert_eq!(list[0].meaning, "Done; all is well.");
        assert_eq!((list[1].code, list[1].line), (130, 6));
        let page = ("docs/reference/exit-codes.md", "| 0 | done |\n| 13 | 130 |\n");
        assert_eq!(
            texts(&[(EXIT_CODES, source), page]),
            [format!(
                "{EXIT_CODES}:6: docs: the exit code 130 is not in docs/reference/exit-codes.md"
            )]
        );
    }

    #[test]
    fn a_table_that_cannot_be_read_is_told() {
        for path in [SETTINGS, NOTICES, EXIT_CODES, "workloads/w/src/params.rs"] {
            assert!(texts(&[(path, "fn f() {}\n")])[0].contains("nothing is found"), "{path}");
        }
    }

    #[test]
    fn dead_links_are_found() {
        let table = [
            ("docs/a.md", "[b](b.md#there) and [c](../README.md), [web](https://x.y/z)\n", 0),
            ("docs/a.md", "[b](../b.md)\n", 1),
            ("docs/a.md", "[here](#section), [folder](../docs/)\n", 0),
            ("README.md", "[a](docs/b.md) [x](docs/x.md)\n", 1),
        ];
        for (path, text, count) in table {
            let mut files = vec![("docs/b.md", "\n"), (path, text)];
            if path != "README.md" {
                files.push(("README.md", "\n"));
            }
            assert_eq!(texts(&files).len(), count, "{path} {text:?}");
        }
    }
}
