//! Compares the stored routines in a database with those that a build creates.
//!
//! Start reading at [`is_made_by`] and [`require_free`].

use tacho_core::units::counted;
use tacho_core::{Error, Result};
use tacho_driver::{Dialect, Object, ObjectKind};
use tacho_workload::Routines;

use crate::ownership::refusal;

/// Returns true if a routine's text matches its creation statement, ignoring white space.
pub(crate) fn is_made_by(sql: &str, object: &Object) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&object.shape.join(" "));
    object.kind == ObjectKind::Routine && !text.is_empty() && words(sql).contains(&text)
}

/// Returns true if the build creates a routine with the same text. If the database reports only part of a routine's
/// text, compares only this part.
pub(crate) fn is_known(object: &Object, known: &Routines, dialect: &dyn Dialect) -> bool {
    known.create.iter().any(|sql| match dialect.routine_shape(sql) {
        Some(shape) => object.kind == ObjectKind::Routine && object.shape == [shape],
        None => is_made_by(sql, object),
    })
}

/// Returns an error if the database contains routines that the build would replace, or routines that have the same name
/// as one of Tacho's. Must be called before the build creates anything.
pub(crate) fn require_free(
    objects: &[Object],
    known: &Routines,
    dialect: &dyn Dialect,
    target: &str,
) -> Result<()> {
    let needed: Vec<Signature<'_>> =
        known.create.iter().filter_map(|sql| Signature::of(sql)).collect();
    let is_in_use = |object: &&Object| {
        let arity = Signature::of(&object.drop).and_then(|signature| signature.arity);
        let existing = Signature { name: &object.name, arity };
        object.kind == ObjectKind::Routine && needed.iter().any(|new| new.collides(&existing))
    };
    let others =
        objects.iter().filter(is_in_use).filter(|object| !is_known(object, known, dialect));
    let why: Vec<String> = others.map(in_use).collect();
    let what = match why.len() as u64 {
        0 => return Ok(()),
        1 => "it".to_owned(),
        count => format!("these {}", counted(count, "routine")),
    };
    Err(refusal(target, "nothing was created", &why)
        .during("prepare")
        .hint(format!("rename or drop {what}, or use another database or schema")))
}

/// Returns the error for a user's routine with the same name and parameters as one of Tacho's.
pub(crate) fn replaced(object: &Object) -> Error {
    Error::new(tacho_core::ErrorKind::Auth, in_use(object))
        .hint("rename or drop it, or use another database or schema")
}

/// Returns the message for a routine of the user whose name Tacho needs for its own routine.
fn in_use(object: &Object) -> String {
    format!("routine {} already exists, but Tacho did not create it", object.name)
}

/// A routine's name and the number of its input parameters, if the statement lists them.
#[derive(Debug, PartialEq, Eq)]
struct Signature<'a> {
    name: &'a str,
    arity: Option<usize>,
}

impl<'a> Signature<'a> {
    /// Parses a statement that creates or drops a routine. Returns `None` for any other statement.
    fn of(sql: &'a str) -> Option<Self> {
        let mut rest = sql.trim_start();
        let mut words = 0;
        let mut next = || {
            let (word, after) = rest.split_once(char::is_whitespace)?;
            rest = after.trim_start();
            words += 1;
            (words <= WORDS_MAX).then_some(word)
        };
        if !["CREATE", "DROP"].contains(&next()?) {
            return None;
        }
        while !["FUNCTION", "PROCEDURE", "ROUTINE"].contains(&next()?) {}
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == '(');
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        let name = name.rsplit('.').next()?.trim_matches(['"', '`', '[', ']', ';']);
        Some(Self { name, arity: arity(after.trim_start()) })
    }

    /// Returns true if two routines cannot exist in the same database, or if a call would be ambiguous. Routines with
    /// the same name do not collide if their numbers of parameters are known and different.
    fn collides(&self, other: &Self) -> bool {
        let differs = |(one, two)| one != two;
        self.name == other.name && !self.arity.zip(other.arity).is_some_and(differs)
    }
}

/// Maximum number of words before a routine's name.
const WORDS_MAX: u32 = 5;

/// Returns the number of input parameters if the text starts with a parameter list.
fn arity(text: &str) -> Option<usize> {
    let list = text.strip_prefix('(')?;
    let (mut depth, mut parameters) = (0, vec![String::new()]);
    for letter in list.chars() {
        match letter {
            ')' if depth == 0 => {
                let is_input = |parameter: &&String| {
                    let mut words = parameter.split_whitespace();
                    words.next().is_some_and(|word| !word.eq_ignore_ascii_case("OUT"))
                };
                return Some(parameters.iter().filter(is_input).count());
            }
            ',' if depth == 0 => {
                parameters.push(String::new());
                continue;
            }
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        parameters.last_mut()?.push(letter);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read_from_statements() {
        let of = |sql: &'static str| Signature::of(sql).map(|found| (found.name, found.arity));
        for (sql, expected) in [
            ("CREATE OR REPLACE FUNCTION a(int, n numeric(4,2)) RETURNS int", Some(("a", Some(2)))),
            (
                "CREATE PROCEDURE b(\n    x int, OUT y int,\n    INOUT z int\n)\nAS",
                Some(("b", Some(2))),
            ),
            ("CREATE FUNCTION c() RETURNS int", Some(("c", Some(0)))),
            ("CREATE PROCEDURE d\n    @w int\nAS", Some(("d", None))),
            ("DROP ROUTINE public.\"e\"(w integer, d integer)", Some(("e", Some(2)))),
            ("DROP PROCEDURE `f`", Some(("f", None))),
            ("SELECT create_distributed_function('g(int)')", None),
            ("", None),
        ] {
            assert_eq!(of(sql), expected, "{sql}");
        }
    }

    #[test]
    fn routines_with_other_parameters_do_not_collide() {
        let of = |name, arity| Signature { name, arity };
        assert!(of("a", Some(1)).collides(&of("a", Some(1))));
        assert!(of("a", Some(1)).collides(&of("a", None)));
        assert!(!of("a", Some(1)).collides(&of("a", Some(2))));
        assert!(!of("a", None).collides(&of("b", None)));
    }
}
