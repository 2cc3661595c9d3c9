//! Converts settings from and to text. There is exactly one text format for each type.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_core::units::{
    Amount, exact_span, parse_amount, parse_count, parse_duration, parse_rate,
};
use tacho_core::{Error, Form, Result, Seed, masked};

use crate::load::{OnDisconnect, OnHostLoss, RetryInput, Spacing, Stop};
use crate::plan::{CheckWhen, Plan, Require, Verify};
use crate::steps::LoadSteps;

/// The functions that store a setting in the plan and read it from the plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Parses the strings and stores the value in the plan. The caller must have checked the setting's limits.
    pub(crate) read: fn(&mut Plan, &[String]) -> Result<()>,
    /// Returns the value in the plan as strings, or none if there is no value.
    pub(crate) show: fn(&Plan) -> Vec<String>,
}

/// Defines the functions that parse and print the plan's field at this path.
macro_rules! field {
    ($($path:ident).+) => {
        $crate::value::Field {
            read: |plan, texts| $crate::value::Value::read(&mut plan.$($path).+, texts),
            show: |plan| $crate::value::Value::show(&plan.$($path).+),
        }
    };
}
pub(crate) use field;

/// The storage options. Together, they form the workload parameter `storage`.
pub(crate) const STORAGE: Field = Field {
    read: |plan, texts| {
        let texts: Vec<&str> =
            texts.iter().map(|text| &**text).filter(|one| !one.is_empty()).collect();
        if let Some(text) = texts.iter().find(|text| text.contains(',') || !text.contains('=')) {
            return Err(Error::usage(format!("invalid storage option \"{}\"", masked(text)))
                .hint("use the form --storage key=value, without commas; repeat the option to set more than one key"));
        }
        if !texts.is_empty() {
            plan.data.set.insert("storage".into(), texts.join(","));
        }
        Ok(())
    },
    show: |plan| {
        let joined = plan.data.set.get("storage").map_or("", String::as_str);
        joined.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    },
};

/// The duration of the measured phase.
pub(crate) const DURATION: Field = Field {
    read: |plan, texts| {
        plan.load.stop = Stop::After(parse_duration(single(texts))?);
        Ok(())
    },
    show: |plan| match plan.load.stop {
        Stop::After(span) => vec![exact_span(span)],
        Stop::Count(_) | Stop::Done => Vec::new(),
    },
};

/// The number of transactions to measure.
pub(crate) const TRANSACTIONS: Field = Field {
    read: |plan, texts| {
        plan.load.stop = Stop::Count(parse_count(single(texts))?);
        Ok(())
    },
    show: |plan| match plan.load.stop {
        Stop::Count(count) => vec![count.to_string()],
        Stop::After(_) | Stop::Done => Vec::new(),
    },
};

/// The rate of open arrivals.
pub(crate) const RATE: Field = Field {
    read: |plan, texts| {
        plan.load.arrival.rate = texts.first().map(|text| parse_rate(text)).transpose()?;
        Ok(())
    },
    show: |plan| plan.load.arrival.rate.iter().map(f64::to_string).collect(),
};

/// The steps of a varying load.
pub(crate) const STEPS: Field = Field {
    read: |plan, texts| {
        plan.steps = texts.first().map(|text| LoadSteps::parse(text)).transpose()?;
        Ok(())
    },
    show: |plan| plan.steps.iter().map(|step| step.expression.clone()).collect(),
};

/// The factor for keying and think times: `none` is 0, `spec` is 1, and `x0.5` is 0.5.
pub(crate) const PACING: Field = Field {
    read: |plan, texts| {
        let text = single(texts);
        let factor = match text {
            "none" => Some(0.0),
            "spec" => Some(1.0),
            other => other.strip_prefix('x').and_then(|factor| factor.parse().ok()),
        };
        let factor = factor.filter(|factor| (0.0..=1000.0).contains(factor));
        plan.load.pacing = factor.ok_or_else(|| {
            Error::usage(format!("invalid value for pacing: \"{text}\""))
                .hint("allowed: none, spec, or a factor from x0 to x1000, such as x0.5")
        })?;
        Ok(())
    },
    show: |plan| {
        let text = match plan.load.pacing {
            0.0 => "none".into(),
            1.0 => "spec".into(),
            factor => format!("x{factor}"),
        };
        vec![text]
    },
};

/// A type whose values can be converted from and to text.
pub(crate) trait Value {
    /// Parses the value from the strings.
    fn read(&mut self, texts: &[String]) -> Result<()>;

    /// Returns the strings that represent the value.
    fn show(&self) -> Vec<String>;
}

fn single(texts: &[String]) -> &str {
    texts.first().map_or("", String::as_str)
}

/// Implements [`Value`] for types that are represented by a single string. For each type, the first function parses
/// this string and the second one creates it.
macro_rules! values {
    ($($ty:ty: $read:expr, $show:expr;)+) => {
        $(
            impl Value for $ty {
                fn read(&mut self, texts: &[String]) -> Result<()> {
                    let read: fn(&str) -> Result<$ty> = $read;
                    *self = read(single(texts))?;
                    Ok(())
                }

                fn show(&self) -> Vec<String> {
                    let show: fn(&$ty) -> String = $show;
                    vec![show(self)]
                }
            }

            impl Value for Option<$ty> {
                fn read(&mut self, texts: &[String]) -> Result<()> {
                    let read: fn(&str) -> Result<$ty> = $read;
                    *self = texts.first().map(|text| read(text)).transpose()?;
                    Ok(())
                }

                fn show(&self) -> Vec<String> {
                    let show: fn(&$ty) -> String = $show;
                    self.iter().map(show).collect()
                }
            }
        )+
    };
}

values! {
    String: |text| Ok(text.to_owned()), String::clone;
    Duration: parse_duration, |span| exact_span(*span);
    f64: number, f64::to_string;
    u32: count, u32::to_string;
    u64: parse_count, u64::to_string;
    Amount: |text| parse_amount(text).map(Amount), Amount::to_string;
    Seed: |text| parse_count(text).map(Seed), |seed| seed.0.to_string();
    bool: |text| Ok(text == "yes"), |is| if *is { "yes" } else { "no" }.into();
    Form: |text| word(Form::from_word(text), text), Form::to_string;
    Spacing: |text| word(Spacing::from_word(text), text), Spacing::to_string;
    RetryInput: |text| word(RetryInput::from_word(text), text), RetryInput::to_string;
    OnDisconnect: |text| word(OnDisconnect::from_word(text), text), OnDisconnect::to_string;
    OnHostLoss: |text| word(OnHostLoss::from_word(text), text), OnHostLoss::to_string;
    Require: |text| word(Require::from_word(text), text), Require::to_string;
    Verify: |text| word(Verify::from_word(text), text), Verify::to_string;
    CheckWhen: |text| word(CheckWhen::from_word(text), text), CheckWhen::to_string;
}

fn count(text: &str) -> Result<u32> {
    let count = parse_count(text)?;
    u32::try_from(count).map_err(|_| Error::usage(format!("invalid integer \"{text}\"")))
}

fn number(text: &str) -> Result<f64> {
    text.parse().map_err(|_| Error::usage(format!("invalid number \"{text}\"")))
}

fn word<T>(value: Option<T>, text: &str) -> Result<T> {
    value.ok_or_else(|| Error::usage(format!("invalid value \"{text}\"")))
}

impl Value for Vec<String> {
    fn read(&mut self, texts: &[String]) -> Result<()> {
        *self = texts.to_vec();
        Ok(())
    }

    fn show(&self) -> Vec<String> {
        self.clone()
    }
}

/// Parses `key=value`. White space around the equals sign is removed, but white space within the value is kept.
///
/// # Errors
/// Returns a usage error if there is no equals sign.
pub fn pair(text: &str) -> Result<(String, String)> {
    let (key, value) = text.split_once('=').ok_or_else(|| {
        Error::usage(format!("invalid value for --set: {}", masked(text)))
            .hint("use the form --set key=value")
    })?;
    let is_spaced = key.ends_with(char::is_whitespace);
    let value = if is_spaced { value.trim() } else { value };
    Ok((key.trim().to_owned(), value.to_owned()))
}

/// Key–value pairs. If a key occurs more than once, the last value applies.
impl Value for BTreeMap<String, String> {
    fn read(&mut self, texts: &[String]) -> Result<()> {
        *self = texts.iter().map(|text| pair(text)).collect::<Result<_>>()?;
        Ok(())
    }

    fn show(&self) -> Vec<String> {
        self.iter().map(|(key, value)| format!("{key}={value}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::pair;

    #[test]
    fn a_value_keeps_its_blanks() {
        let table = [
            ("log_line_prefix=%m [%p] %d ", ("log_line_prefix", "%m [%p] %d ")),
            ("word= a=b", ("word", " a=b")),
            ("size = 10 ", ("size", "10")),
            (" size=10", ("size", "10")),
            ("empty=", ("empty", "")),
        ];
        for (text, (key, value)) in table {
            assert_eq!(pair(text).expect(text), (key.into(), value.into()), "{text}");
        }
        assert!(pair("size").is_err());
    }
}
