//! Implements `print`.

use super::{Console, Next};
use crate::dictionary::{Benchmark, DATABASES, Key, generic_keys};

const USAGE: &str = "Usage: print [db|bm|ci|dict|generic|script|vuconf|vucreated|vustatus|vucomplete|datagen|tcconf]";

impl Console {
    pub(super) fn print(&mut self, words: &[&str]) -> Next {
        let text = match words {
            ["db"] => self.databases(),
            ["bm"] => format!("Benchmark set to {}", self.dictionary.benchmark.inner_name()),
            ["dict"] => {
                let title = format!("Dictionary Settings for {}", self.dictionary.database().name);
                blocks(title, self.dictionary.shown())
            }
            ["generic"] => {
                blocks("Generic Dictionary Settings".into(), self.dictionary.generic_shown())
            }
            ["ci"] => self.ci_text(),
            ["script"] if self.users.script => self.script_text(),
            ["script"] => "No Script loaded: Load with loadscript".into(),
            ["vuconf"] => self.options("virtual_user_options"),
            ["tcconf"] => {
                let head = "Transaction Counter Settings\n";
                format!("{head}{}", self.options("transaction_counter"))
            }
            ["vucreated"] => format!("{} Virtual Users created", self.users.count()),
            ["vustatus"] => return self.vustatus(&[]),
            ["vucomplete"] => match self.vucomplete(&[]) {
                Next::Value(value) => value,
                _ => String::new(),
            },
            ["datagen"] => self.datagen(),
            _ => return self.complain(USAGE),
        };
        self.printed(text)
    }

    fn databases(&self) -> String {
        let known: Vec<String> =
            DATABASES.iter().map(|known| format!("{} = {}", known.name, known.prefix)).collect();
        format!(
            "Database {} set.\nTo change do: dbset db prefix, one of:\n{}",
            self.dictionary.database().name,
            known.join(" ")
        )
    }

    fn options(&self, section: &str) -> String {
        let line = |key: &Key| {
            Some(format!(
                "{} = {}",
                key.setting()?.label,
                self.dictionary.generic(section, key.name)
            ))
        };
        let keys = generic_keys().iter().filter(|key| key.section == section);
        keys.filter_map(line).collect::<Vec<_>>().join("\n")
    }

    fn datagen(&self) -> String {
        let of = |key: &str| self.dictionary.generic("datageneration", key);
        let folder = self.data_folder();
        let size = match self.dictionary.benchmark {
            Benchmark::TprocC => format!("{} warehouses", of("gen_count_ware")),
            Benchmark::TprocH => format!("{} scale factor", of("gen_scale_fact")),
        };
        format!(
            "Data Generation set to build a {} schema for {} with {size} with {} virtual users in {}",
            self.dictionary.benchmark.name(),
            self.dictionary.database().name,
            of("gen_num_vu"),
            folder.display()
        )
    }
}

/// Formats a title, followed by sections. Each section is enclosed in braces, and its values are aligned.
fn blocks(title: String, sections: Vec<(&'static str, Vec<(&'static str, String)>)>) -> String {
    let mut lines = vec![title];
    for (section, pairs) in sections {
        let width = pairs.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        lines.push(format!("{section} {{"));
        lines.extend(pairs.iter().map(|(key, value)| format!(" {key:width$} = {value}")));
        lines.push("}".into());
    }
    lines.join("\n")
}
