//! Requests to the web view with settings that start programs or load code, or without the token that allows changes.

use serde_json::{Value, json};

use super::trial::Trial;
use super::unasked::{Forged, expect_nothing_ran};
use crate::trust::{post, settled};
use crate::web::{end, served};

/// Returns a random request, consisting of the last part of its path and its body.
fn draw(trial: &mut Trial, forged: &Forged) -> (&'static str, Value) {
    let mut settings =
        json!({ "workload": "tpcb", "target": "sim:", "duration": "1s", "ramp_up": "0s" });
    settings[forged.key()] = forged.json();
    let commands: Vec<&str> = forged
        .setting
        .commands
        .iter()
        .map(|command| command.word())
        .filter(|word| *word != "generate")
        .collect();
    let command = *trial.pick(&commands);
    if !matches!(command, "run" | "sweep") {
        let wanted = json!({ "workload": settings["workload"], "target": settings["target"] });
        settings = wanted;
        settings[forged.key()] = forged.json();
        if command == "doctor" && forged.key() != "workload" {
            settings.as_object_mut().expect("settings").remove("workload");
        }
    }
    let place =
        if command == "run" { *trial.pick(&["activity", "plan", "runs"]) } else { "activity" };
    trial.note(format!("{place} {command}"));
    (place, json!({ "command": command, "settings": settings }))
}

pub fn perform(trial: &mut Trial) {
    let forged = Forged::draw(trial);
    let (server, url, token, look) = served(&trial.folder, "");
    for _ in 0..4 {
        let (place, mut body) = draw(trial, &forged);
        if place == "runs" {
            body.as_object_mut().expect("a body").remove("command");
        }
        let (token, whose) = match trial.below(5) {
            0 => (look.clone(), "read-only"),
            1 => ("no-token-of-this-server".to_owned(), "wrong"),
            _ => (token.clone(), "right"),
        };
        let (status, answer) = post(&url, &token, place, &body);
        trial.note(format!("{whose} token: {status}"));
        let is_expected = match whose {
            "right" if forged.is_code => status == 403,
            "right" => matches!(status, 200 | 202 | 400 | 403 | 409 | 422),
            _ => matches!(status, 401 | 403),
        };
        assert!(is_expected, "{whose} token: {body}: {answer}");
        settled(&url, &token);
        expect_nothing_ran(trial);
    }
    settled(&url, &token);
    end(server);
    expect_nothing_ran(trial);
}
