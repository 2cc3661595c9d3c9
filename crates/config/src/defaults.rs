//! The default plan.
//!
//! The settings table is the only place where defaults are defined. All parts of a plan copy their defaults from the
//! default plan.

use std::sync::LazyLock;

use crate::load::{Arrival, LoadPlan, RetryPolicy, StopFields};
use crate::plan::{DataPlan, JudgementPlan, LogPlan, Plan};
use crate::settings::SETTINGS;

/// The plan that applies if nothing is specified. Its values come from the defaults in the settings table.
impl Default for Plan {
    fn default() -> Self {
        static USUAL: LazyLock<Plan> = LazyLock::new(|| {
            let mut plan = Plan::blank();
            for setting in SETTINGS.iter().filter(|setting| !setting.parameter.default.is_empty()) {
                // This cannot fail, because a test verifies that every default can be parsed.
                let _ = setting.read(&mut plan, &[setting.parameter.default.to_owned()]);
            }
            plan
        });
        USUAL.clone()
    }
}

impl Default for DataPlan {
    fn default() -> Self {
        Plan::default().data
    }
}

impl Default for JudgementPlan {
    fn default() -> Self {
        Plan::default().judgement
    }
}

/// No log.
impl Default for LogPlan {
    fn default() -> Self {
        Plan::default().log
    }
}

/// The load that applies if no settings are specified.
impl Default for LoadPlan {
    fn default() -> Self {
        Plan::default().load
    }
}

/// Closed arrivals.
impl Default for Arrival {
    fn default() -> Self {
        LoadPlan::default().arrival
    }
}

/// The default duration. It applies if neither a duration nor a number of transactions is specified.
impl Default for StopFields {
    fn default() -> Self {
        Plan::default().load.stop.into()
    }
}

/// No retries.
impl Default for RetryPolicy {
    fn default() -> Self {
        Plan::default().load.retry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setting;
    use tacho_core::{Parameter, ParameterKind};

    /// Returns a valid value for the setting that differs from its default.
    fn other_value(setting: &Setting) -> String {
        let Parameter { key, kind, default, .. } = setting.parameter;
        let known = [
            ("target", "sqlite:a.db"),
            ("scale", "2.5"),
            ("set", "key=value"),
            ("storage", "key=value"),
            ("form", "procedures"),
            ("pacing", "x0.25"),
            ("load", "steps: 2x1s, 4x2s"),
            ("spacing", "uniform"),
            ("retry", "same"),
            ("on_disconnect", "reconnect"),
            ("require", "steady"),
            ("check", "both"),
            ("verify", "commits"),
            ("on_host_loss", "mark"),
            ("log_sample", "0.5"),
        ];
        let by_default = match (default, kind) {
            ("no", _) => "yes",
            (_, ParameterKind::Duration) => "1250ms",
            _ => "77",
        };
        known.iter().find(|(known, _)| *known == key).map_or(by_default, |(_, text)| text).into()
    }

    #[test]
    fn each_setting_is_read_shown_and_saved() {
        for setting in SETTINGS {
            let (key, usual) = (setting.parameter.key, Plan::default());
            let texts = vec![other_value(setting)];
            let mut plan = usual.clone();
            setting.read(&mut plan, &texts).unwrap_or_else(|e| panic!("{key}: {e}"));
            assert_ne!(plan, usual, "{key}");
            assert_eq!(setting.show(&plan), texts, "{key}");
            if matches!(key, "spacing" | "backlog") {
                plan.load.arrival.rate = Some(5.0);
            }
            let [json, before] =
                [&plan, &usual].map(|plan| serde_json::to_value(plan).expect("a plan"));
            assert_ne!(json.get(setting.recorded_as()), before.get(setting.recorded_as()), "{key}");
            let read: Plan = serde_json::from_value(json).expect("a plan again");
            assert_eq!(read, plan, "{key}");
        }
    }

    #[test]
    fn defaults_are_those_of_the_table() {
        let usual = Plan::default();
        for setting in SETTINGS {
            let default = setting.parameter.default;
            let expected = if setting.parameter.key == "backlog" { "1000000" } else { default };
            let shown = setting.show(&usual);
            assert_eq!(shown.concat(), expected, "{}", setting.parameter.key);
        }
        assert_eq!(serde_json::from_str::<Plan>("{}").expect("an empty plan"), usual);
    }
}
