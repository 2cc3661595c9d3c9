//! A macro that implements several unsupported methods of a driver at once.
//!
//! Traits have no default methods, so drivers must list unsupported methods.
//!
//! Start reading at [`no_answers!`](crate::no_answers).

/// Implements unsupported methods of [`crate::Driver`], [`crate::Session`] and [`crate::Inspector`]. They return `None`
/// or an empty list, or do nothing. Example: `no_answers!(machine, sizes);`
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
