//! Implements `jobs` and `job`.

use super::{Console, Next};

const DISABLED: &str = "Error: Jobs Disabled: enable with command \"jobs disable 0\" \
                        and restart HammerDB";
const USAGE: &str = "Error: Usage: [ jobs | jobs format <fmt> | jobs result | jobs timestamp | \
                     jobs joblist | jobs disable <0|1> | jobs profileid ?id|all? | jobs profile <id> \
                     | jobs diff <base> <comp> ?true? | jobs <id> ?what? ] - type \"help jobs\"";

impl Console {
    pub(super) fn jobs(&mut self, words: &[&str]) -> Next {
        if let ["disable", switch] = words {
            return self.disable_jobs(switch);
        }
        if self.jobs_off {
            return self.complain(DISABLED);
        }
        self.place_jobs();
        match words {
            [] => {
                let table = self.jobs.table();
                self.printed(table)
            }
            ["result"] => {
                let text = self.jobs.all_results();
                self.answered(Ok(text))
            }
            ["timestamp"] => {
                let text = self.jobs.all_timestamps();
                self.answered(Ok(text))
            }
            ["joblist"] => Next::Value(self.jobs.ids().join(" ")),
            ["cireset"] => self.cireset(&[]),
            ["format", rest @ ..] => self.format_jobs(rest),
            ["profileid", rest @ ..] => self.profile_id(rest),
            ["profile", id] => self.of_profile(id),
            ["diff", base, new, rest @ ..] => self.diff(base, new, rest),
            [id, "save"] => {
                let saved = self.jobs.save(id, &self.setup.temp);
                let text = saved.map(|path| format!("Saved job report JSON to {}", path.display()));
                self.answered(text)
            }
            [id, "getchart", rest @ ..] => self.chart(id, rest),
            [id, rest @ ..] => match self.jobs.about(id, rest, self.as_text()) {
                Ok(text) => self.shown(text),
                Err(text) => self.complain(text),
            },
        }
    }

    /// Sets the file of HammerDB's job database, which the script can change at any time.
    pub(super) fn place_jobs(&mut self) {
        let path = self.dictionary.job_database(&self.setup.temp);
        self.jobs.database.set_path(path);
    }

    /// Prints the lines about the job database.
    pub(super) fn tell_of_jobs(&mut self) {
        let lines = self.jobs.database.take_lines();
        self.out.extend(lines);
    }

    /// Creates HammerDB's job database unless it exists, and returns its path.
    pub fn job_database(&mut self) -> Result<String, String> {
        if self.jobs_off {
            return Err(DISABLED.into());
        }
        self.place_jobs();
        self.jobs.database.create().map(|path| path.display().to_string())
    }

    /// Returns true if output is formatted as text rather than JSON.
    fn as_text(&self) -> bool {
        self.dictionary.generic("commandline", "jobsoutput").eq_ignore_ascii_case("text")
    }

    /// Prints a result or an error message. In both cases, the script continues.
    fn answered(&mut self, answer: Result<String, String>) -> Next {
        match answer {
            Ok(text) if self.as_text() => self.printed(crate::jobs::plain(&text)),
            Ok(text) => self.printed(text),
            Err(text) => self.complain(text),
        }
    }

    /// Writes a chart to an HTML file. The text of the file is also the value that the script's command returns.
    #[expect(clippy::disallowed_methods, reason = "writes a file that HammerDB users expect")]
    fn chart(&mut self, id: &str, words: &[&str]) -> Next {
        let page = match (words, id.parse()) {
            (["profile"], Ok(profile)) => self.jobs.profile_chart(profile),
            ([what], Ok(base)) if what.starts_with("diff:") => match what[5..].parse() {
                Ok(new) => self.jobs.comparison_chart(base, new),
                Err(_) => Err("Error: Performance profile id should be an integer".into()),
            },
            ([what], _) => self.jobs.chart(id, what),
            _ => Err("Error: Usage: jobs <jobid> getchart result|timing|tcount|metrics".into()),
        };
        let page = match page {
            Ok(page) => page,
            Err(text) => return self.complain(text),
        };
        let path = self.setup.temp.join(format!("{id}_{}.html", words.join("_").replace(':', "_")));
        match std::fs::write(&path, &page) {
            Ok(()) => {
                self.say(format!("Saved chart html to {}", path.display()));
                Next::Printed(page)
            }
            Err(error) => self.complain(format!("Error: {}: {error}", path.display())),
        }
    }

    /// Stores whether jobs are disabled. The change takes effect only in the next session, and the printed text tells
    /// this to the user.
    fn disable_jobs(&mut self, switch: &str) -> Next {
        let text = match switch {
            "0" => "Enabling jobs repository, restart HammerDB to take effect",
            "1" => "Disabling jobs repository, restart HammerDB to take effect",
            _ => return self.complain("Error: Usage: jobs disable [ 0 | 1 ]"),
        };
        let _ = self.dictionary.set_generic("commandline", "jobs_disable", switch);
        self.complain(text)
    }

    fn format_jobs(&mut self, words: &[&str]) -> Next {
        match words {
            [form] if form.eq_ignore_ascii_case("text") || form.eq_ignore_ascii_case("json") => {
                let _ = self.dictionary.set_generic("commandline", "jobsoutput", form);
                self.complain(format!("Setting jobs output format to {form}"))
            }
            _ => self.complain("Error: Usage: jobs format [ text | JSON ]"),
        }
    }

    fn profile_id(&mut self, words: &[&str]) -> Next {
        match words {
            [] => {
                let id = self.dictionary.generic("commandline", "jobs_profile_id");
                self.complain(format!("Performance profile id set to {id}"))
            }
            ["all"] => {
                let ids = self.jobs.profile_ids();
                if ids.is_empty() {
                    return self.complain("No performance profiles found");
                }
                let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
                self.printed(ids.join(" "))
            }
            [id] if id.parse::<u64>().is_ok() => {
                let _ = self.dictionary.set_generic("commandline", "jobs_profile_id", id);
                self.complain(format!("Setting performance profile id to {id}"))
            }
            _ => self.complain("Error: Performance profile id should be an integer"),
        }
    }

    fn of_profile(&mut self, id: &str) -> Next {
        match id.parse() {
            Ok(id) => {
                let answer = self.jobs.profile(id);
                self.answered(answer)
            }
            Err(_) => self.complain("Error: Performance profile id should be an integer"),
        }
    }

    fn diff(&mut self, base: &str, new: &str, rest: &[&str]) -> Next {
        let weighted = match rest {
            [] | ["false"] => false,
            ["true"] => true,
            _ => return self.complain(USAGE),
        };
        let (Ok(base), Ok(new)) = (base.parse(), new.parse()) else {
            return self.complain("Error: Performance profile id should be an integer");
        };
        let answer = self.jobs.diff(base, new, weighted);
        self.answered(answer)
    }
}
