//! A macro with which a decorator forwards several methods at once.
//!
//! Start reading at [`forwards!`](crate::forwards).

/// Forwards methods of [`crate::Driver`] or [`crate::Session`] to a field of a decorator. Example: `forwards!(inner:
/// script, load);`
#[macro_export]
macro_rules! forwards {
    (($inner:ident) $method:ident($($argument:ident),*)) => {
        $crate::signature!(self $method($($argument),*) { self.$inner.$method($($argument),*) });
    };
    ($inner:ident: $($method:ident),+ $(,)?) => {
        $($crate::signature!(@names forwards ($inner) $method);)+
    };
}
