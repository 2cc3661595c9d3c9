//! A macro that declares several methods of a driver as unsupported.
//!
//! The traits have no default methods, so a driver must also define the methods that it does not support.
//!
//! Start reading at [`no_answers!`](crate::no_answers).

/// Implements methods of [`crate::Driver`], [`crate::Session`] and [`crate::Inspector`] that a driver does not support.
/// They return `None` or an empty list, or do nothing. Example: `no_answers!(machine, sizes);`
#[macro_export]
macro_rules! no_answers {
    (() code($target:ident)) => { $crate::signature!(self code(_target) { None }); };
    (() runs_code($setting:ident)) => { $crate::signature!(self runs_code(_setting) { false }); };
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
