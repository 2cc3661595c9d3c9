//! The explicit "no answer" of a driver, for several methods at once.
//!
//! The traits of the contract have no default methods, so each method without an answer is named. Start reading at
//! [`no_answers!`](crate::no_answers).

/// Methods of [`crate::Driver`], [`crate::Session`] and [`crate::Inspector`] for which a database has no answer, such as
/// `no_answers!(machine, sizes);` within the implementation: `None`, an empty list, or nothing done.
#[macro_export]
macro_rules! no_answers {
    (() code($target:ident)) => { $crate::signature!(self code(_target) { None }); };
    (() library($target:ident)) => { $crate::signature!(self library(_target) { Ok(None) }); };
    (() slow_load()) => { $crate::signature!(self slow_load() { None }); };
    (() $method:ident($($argument:ident),*)) => {
        $crate::signature!(self $method($($argument),*) {
            $(let _ = $argument;)*
            $crate::no_answer()
        });
    };
    ($($method:ident),+ $(,)?) => { $($crate::signature!(@names no_answers () $method);)+ };
}
