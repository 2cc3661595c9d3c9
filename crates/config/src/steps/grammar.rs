//! Parser of `--load` expressions. An expression consists of parts separated by semicolons, and each part begins with a
//! word and a colon.
//!
//! ```text
//! load   = part { ";" part }
//! part   = "steps:" LEVEL "x" SPAN { "," LEVEL "x" SPAN }
//!        | "ramp:" LEVEL ".." LEVEL "over" SPAN [ "in" N ]
//!        | "wave:" LEVEL ".." LEVEL "period" SPAN "for" SPAN [ "in" N ]
//!        | "file:" PATH
//! LEVEL  = N (virtual users) | RATE "/s" (arrivals)
//! ```
//!
//! Start reading at [`LoadSteps::parse`].

use std::time::Duration;

use tacho_core::units::{parse_count, parse_duration, parse_rate};
use tacho_core::{Error, Result};

use super::{LoadSteps, Step};

/// The default number of steps in a ramp and in each period of a wave.
const PIECES: u32 = 10;
/// The minimum length of a step. It is equal to the minimum reporting interval.
const STEP_MIN: Duration = Duration::from_millis(100);
const EXAMPLE: &str = "such as 'steps: 10x1m, 20x1m', 'ramp: 10..100 over 5m', 'wave: 100..900/s period 2m for 10m', or 'file: rates.csv'";

/// The level of a load: a number of sessions or of arrivals per second. While a ramp or wave is being calculated, it
/// may have a fractional part.
#[derive(Clone, Copy, PartialEq)]
struct Level {
    value: f64,
    is_rate: bool,
}

impl Level {
    fn step(self, length: Duration) -> Step {
        let sessions = (!self.is_rate).then(|| self.value.round() as u32);
        Step { sessions, rate_per_s: self.is_rate.then_some(self.value), length }
    }

    /// Returns the level at a given fraction of the way from this level to another.
    fn towards(self, other: Self, share: f64) -> Self {
        let value = self.value + (other.value - self.value) * share;
        // Round to three decimal places to hide floating-point errors in the printed steps of a ramp.
        Self { value: (value * 1e3).round() / 1e3, ..self }
    }
}

impl LoadSteps {
    /// Parses an expression. If it refers to a file, reads the file.
    ///
    /// # Errors
    /// Returns a usage error that contains an example and the position of the mistake, counted in characters from 1.
    pub fn parse(text: &str) -> Result<Self> {
        let mut steps = Vec::new();
        for part in split(text, 0, ';') {
            steps.extend(parse_part(&part, text)?);
        }
        let load = Self { expression: text.trim().to_owned(), steps };
        load.check(text)?;
        Ok(load)
    }

    fn check(&self, text: &str) -> Result<()> {
        let whole = Piece { text, at: 0 };
        let open = self.is_open();
        if self.steps.iter().any(|step| step.rate_per_s.is_some() != open) {
            return Err(whole.error(text, "session counts and rates cannot be combined").hint(
                "specify every level either as a number of sessions or as a rate, such as 200/s",
            ));
        }
        if self.steps.len() > Self::STEPS_MAX {
            let found =
                format!("too many steps: {} (maximum {})", self.steps.len(), Self::STEPS_MAX);
            return Err(whole
                .error(text, &found)
                .hint("use longer steps, or set the number of steps with `in N`"));
        }
        if self.sessions_max() == 0 && self.rate_max() <= 0.0 {
            return Err(whole.error(text, "the load is zero in every step").hint(EXAMPLE));
        }
        if let Some(step) = self.steps.iter().find(|step| step.length < STEP_MIN) {
            let found = format!("a step of {:?} is too short (minimum {STEP_MIN:?})", step.length);
            return Err(whole
                .error(text, &found)
                .hint("use fewer steps; `in N` sets the number of steps"));
        }
        Ok(())
    }
}

/// A part of the expression, along with its position.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    /// The offset in bytes.
    at: usize,
}

impl Piece<'_> {
    fn trimmed(self) -> Self {
        let at = self.at + self.text.len() - self.text.trim_start().len();
        Self { text: self.text.trim(), at }
    }

    fn error(&self, whole: &str, found: &str) -> Error {
        let place = whole.get(..self.at).unwrap_or_default().chars().count() + 1;
        Error::usage(format!("invalid load at character {place}: {found}"))
    }

    /// Splits this part in two at the first occurrence of a word.
    fn cut(self, word: &str) -> Option<(Self, Self)> {
        let found = self.text.find(word)?;
        let left = Self { text: &self.text[..found], at: self.at };
        let from = found + word.len();
        let right = Self { text: &self.text[from..], at: self.at + from };
        Some((left.trimmed(), right.trimmed()))
    }

    fn level(self, whole: &str) -> Result<Level> {
        let piece = self.trimmed();
        let (value, is_rate) = match piece.text.strip_suffix("/s") {
            Some("0") => (Some(0.0), true),
            Some(rate) => (parse_rate(rate).ok(), true),
            None => (parse_count(piece.text).ok().map(|count| count as f64), false),
        };
        let value = value.filter(|value| is_rate || *value <= 100_000.0);
        let value = value.ok_or_else(|| {
            let found = format!("\"{}\" is not a number of sessions or a rate", piece.text);
            piece
                .error(whole, &found)
                .hint("use a number of sessions such as 20, or a rate such as 2000/s")
        })?;
        Ok(Level { value, is_rate })
    }

    fn span(self, whole: &str) -> Result<Duration> {
        let piece = self.trimmed();
        parse_duration(piece.text).ok().filter(|span| !span.is_zero()).ok_or_else(|| {
            piece
                .error(whole, &format!("invalid duration \"{}\"", piece.text))
                .hint("expected a number with a unit, such as 30s or 5m")
        })
    }

    /// Removes `in N` from the end of the part. Returns the rest of the part and the number N.
    fn pieces(self, whole: &str) -> Result<(Self, Option<u32>)> {
        let Some((rest, number)) = self.cut(" in ") else { return Ok((self, None)) };
        let count = parse_count(number.text).ok().filter(|count| (1..=500).contains(count));
        let count = count.ok_or_else(|| {
            let found = format!("invalid number of steps \"{}\"", number.text);
            number.error(whole, &found).hint("expected 1 to 500 after `in`")
        })?;
        Ok((rest, Some(count as u32)))
    }
}

/// Splits a string at a separator.
fn split(text: &str, at: usize, separator: char) -> Vec<Piece<'_>> {
    let mut from = at;
    let mut pieces = Vec::new();
    for text in text.split(separator) {
        pieces.push(Piece { text, at: from }.trimmed());
        from += text.len() + separator.len_utf8();
    }
    pieces
}

fn parse_part(part: &Piece<'_>, whole: &str) -> Result<Vec<Step>> {
    let Some((word, rest)) = part.cut(":") else {
        let found = format!("the kind of load is missing before \"{}\"", part.text);
        return Err(part.error(whole, &found).hint(EXAMPLE));
    };
    match word.text {
        "steps" => {
            split(rest.text, rest.at, ',').iter().map(|piece| parse_step(piece, whole)).collect()
        }
        "ramp" => ramp(rest, whole),
        "wave" => wave(rest, whole),
        "file" => file(rest, whole),
        other => {
            let found = format!("unknown kind of load \"{other}\"");
            Err(word.error(whole, &found).hint(EXAMPLE))
        }
    }
}

fn parse_step(piece: &Piece<'_>, whole: &str) -> Result<Step> {
    let Some((level, length)) = piece.cut("x") else {
        let found = format!("\"{}\" is not a step", piece.text);
        return Err(piece.error(whole, &found).hint("use a step such as 20x1m or 2000/sx1m"));
    };
    Ok(level.level(whole)?.step(length.span(whole)?))
}

/// Parses a range such as `10..100`. In `100..900/s`, the unit applies to both levels.
fn range(piece: Piece<'_>, whole: &str) -> Result<[Level; 2]> {
    let Some((low, high)) = piece.cut("..") else {
        let found = format!("\"{}\" is not a range", piece.text);
        return Err(piece.error(whole, &found).hint("use a range such as 10..100 or 100..900/s"));
    };
    let high = high.level(whole)?;
    let low = low.level(whole)?;
    Ok([Level { is_rate: low.is_rate || high.is_rate, ..low }, high])
}

/// Returns the steps of a ramp between two levels. All steps have the same length. The first step has exactly the first
/// level, and the last step has exactly the second level.
fn ramp(text: Piece<'_>, whole: &str) -> Result<Vec<Step>> {
    let (text, pieces) = text.pieces(whole)?;
    let Some((levels, length)) = text.cut(" over ") else {
        return Err(text.error(whole, "a ramp has no length").hint("ramp: 10..100 over 5m"));
    };
    let ([from, to], length) = (range(levels, whole)?, length.span(whole)?);
    let levels_between = (to.value - from.value).abs() + 1.0;
    let usual = if to.is_rate { PIECES } else { PIECES.min(levels_between as u32) };
    let pieces = pieces.unwrap_or(usual);
    let share = |piece: u32| f64::from(piece) / f64::from((pieces - 1).max(1));
    Ok((0..pieces).map(|piece| from.towards(to, share(piece)).step(length / pieces)).collect())
}

/// Returns the steps of a wave. In each period, the load follows a cosine curve from the first level to the second and
/// back. Each step has the level that the curve has in the middle of the step.
fn wave(text: Piece<'_>, whole: &str) -> Result<Vec<Step>> {
    const HINT: &str = "wave: 20..200 period 2m for 10m";
    let (text, pieces) = text.pieces(whole)?;
    let Some((levels, times)) = text.cut(" period ") else {
        return Err(text.error(whole, "a wave has no period").hint(HINT));
    };
    let Some((period, length)) = times.cut(" for ") else {
        return Err(times.error(whole, "a wave has no length").hint(HINT));
    };
    let [from, to] = range(levels, whole)?;
    let (period, length) = (period.span(whole)?, length.span(whole)?);
    let piece = period / pieces.unwrap_or(PIECES);
    if piece.is_zero() {
        return Err(text.error(whole, "a step of the wave has a length of zero").hint(HINT));
    }
    let mut steps = Vec::new();
    let mut at = Duration::ZERO;
    while at < length && steps.len() <= LoadSteps::STEPS_MAX {
        let span = piece.min(length.saturating_sub(at));
        let phase = (at + span / 2).as_secs_f64() / period.as_secs_f64() * std::f64::consts::TAU;
        steps.push(from.towards(to, (1.0 - phase.cos()) / 2.0).step(span));
        at += span;
    }
    Ok(steps)
}

/// Reads a file of `TIME,LEVEL` lines, which must start at time 0. Each level applies until the time of the next line.
/// The last line is `TIME,end`.
fn file(piece: Piece<'_>, whole: &str) -> Result<Vec<Step>> {
    let path = std::path::Path::new(piece.text);
    let text = tacho_core::file::text(path, tacho_core::file::SMALL_MAX).map_err(|error| {
        piece
            .error(whole, &format!("could not read {}: {error}", piece.text))
            .hint("the path is relative to the working directory")
    })?;
    read_lines(&text).map_err(|error| error.during(format!("read the load of {}", piece.text)))
}

fn read_lines(text: &str) -> Result<Vec<Step>> {
    const HINT: &str = "use lines TIME,LEVEL such as 60,2000/s or 1m,20, and TIME,end as the last \
        line";
    let mut lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let (mut steps, mut last) = (Vec::new(), None::<(Duration, Level)>);
    // The first line may be a header with the column names.
    let mut lines = lines.by_ref().filter(|(_, line)| !line.trim().starts_with("time")).peekable();
    while let Some((number, line)) = lines.next() {
        let wrong = |found: &str| Error::usage(format!("line {}: {found}", number + 1)).hint(HINT);
        let (time, level) = line.split_once(',').ok_or_else(|| wrong("no comma"))?;
        let at = time_of(time).ok_or_else(|| wrong(&format!("invalid time \"{time}\"")))?;
        match last {
            None if !at.is_zero() => return Err(wrong("the first time is not 0")),
            Some((before, _)) if at <= before => return Err(wrong("the time does not increase")),
            Some((before, level)) => steps.push(level.step(at.saturating_sub(before))),
            None => {}
        }
        if level.trim() == "end" {
            return match lines.next() {
                Some((number, _)) => {
                    Err(Error::usage(format!("line {}: after the end", number + 1)).hint(HINT))
                }
                None => Ok(steps),
            };
        }
        let piece = Piece { text: level, at: 0 };
        let level = piece.level("").map_err(|_| wrong(&format!("invalid level \"{level}\"")))?;
        last = Some((at, level));
    }
    Err(Error::usage("the last line is not TIME,end").hint(HINT))
}

/// Parses a time. It is either a number of seconds or a duration with a unit.
fn time_of(text: &str) -> Option<Duration> {
    let text = text.trim();
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.or_else(|| parse_duration(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns each step as `LEVELxSECONDS`.
    fn steps(text: &str) -> Vec<String> {
        let load = LoadSteps::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let level = |step: &Step| match (step.sessions, step.rate_per_s) {
            (Some(sessions), _) => sessions.to_string(),
            (_, rate) => format!("{}/s", rate.unwrap_or_default()),
        };
        load.steps
            .iter()
            .map(|step| format!("{}x{}", level(step), step.length.as_secs_f64()))
            .collect()
    }

    #[test]
    fn expressions_are_expanded() {
        assert_eq!(steps("steps: 10x1m, 20x30s"), ["10x60", "20x30"]);
        assert_eq!(steps("steps: 0/sx1s,2k/s x 2s"), ["0/sx1", "2000/sx2"]);
        assert_eq!(steps("ramp: 1..4 over 8s"), ["1x2", "2x2", "3x2", "4x2"]);
        assert_eq!(steps("ramp: 30..10 over 3s in 3"), ["30x1", "20x1", "10x1"]);
        assert_eq!(steps("ramp: 100..200/s over 4s in 2"), ["100/sx2", "200/sx2"]);
        let wave = steps("wave: 0..100 period 8s for 12s in 4");
        assert_eq!(wave, ["15x2", "85x2", "85x2", "15x2", "15x2", "85x2"]);
        assert_eq!(steps("steps: 5x1s; ramp: 1..2 over 2s"), ["5x1", "1x1", "2x1"]);
    }

    #[test]
    fn the_expanded_form_means_the_same() {
        for text in
            ["ramp: 1..7 over 10s in 3", "wave: 10..90/s period 3s for 7s", "steps: 3x1500ms"]
        {
            let load = LoadSteps::parse(text).expect(text);
            let again = LoadSteps::parse(&load.expanded()).expect("the expanded form");
            assert_eq!(again.steps, load.steps, "{text}");
        }
    }

    #[test]
    fn errors_have_a_place_and_a_hint() {
        for (text, expected) in [
            ("10x1m", "character 1: the kind of load is missing before \"10x1m\""),
            ("steps: 10x1m, 20", "character 15: \"20\" is not a step"),
            ("steps: 10x1m, tenx1m", "character 15: \"ten\" is not a number of sessions"),
            ("steps: 10x5", "character 11: invalid duration \"5\""),
            ("steps: 10x1m; rampe: 1..2 over 1m", "character 15: unknown kind of load \"rampe\""),
            ("ramp: 10 over 1m", "character 7: \"10\" is not a range"),
            ("ramp: 10..20", "character 7: a ramp has no length"),
            ("ramp: 10..20 over 1m in 0", "character 25: invalid number of steps \"0\""),
            ("wave: 1..2 for 1m", "character 7: a wave has no period"),
            ("steps: 10x1m, 20/sx1m", "character 1: session counts and rates cannot be combined"),
            ("steps: 0x1m", "character 1: the load is zero in every step"),
            ("ramp: 1..9 over 10ms", "is too short (minimum 100ms)"),
            ("wave: 1..2 period 1s for 1h", "too many steps: "),
            ("file: /nonexistent.csv", "character 7: could not read /nonexistent.csv"),
        ] {
            let error = LoadSteps::parse(text).expect_err(text);
            assert!(error.to_string().contains(expected), "{text}: {error}");
            assert!(!error.hints().is_empty(), "{text}");
        }
    }

    #[test]
    fn files_hold_each_level_until_the_next_time() {
        let steps =
            read_lines("time,rate\n# a day\n0,100/s\n1.5,250/s\n3s,0/s\n4,end\n").expect("good");
        let found: Vec<_> =
            steps.iter().map(|step| (step.rate_per_s, step.length.as_millis())).collect();
        assert_eq!(found, [(Some(100.0), 1500), (Some(250.0), 1500), (Some(0.0), 1000)]);
        for (text, expected) in [
            ("0,5\n2,7", "not TIME,end"),
            ("1,5\n2,end", "line 1: the first time is not 0"),
            ("0,5\n0,6\n2,end", "line 2: the time does not increase"),
            ("0,5\n1,end\n2,7", "line 3: after the end"),
            ("0;5", "line 1: no comma"),
            ("0,x\n1,end", "line 1: invalid level"),
        ] {
            let error = read_lines(text).expect_err(text);
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
    }
}
