//! The methods that a decorator passes on unchanged, several at once.
//!
//! Start reading at [`forwards!`](crate::forwards).

/// Methods of [`crate::Driver`] or [`crate::Session`] that a decorator passes on to a field, such as
/// `forwards!(inner: script, load);` within the implementation.
#[macro_export]
macro_rules! forwards {
    (($inner:ident) $method:ident($($argument:ident),*)) => {
        $crate::signature!(self $method($($argument),*) { self.$inner.$method($($argument),*) });
    };
    ($inner:ident: $($method:ident),+ $(,)?) => {
        $($crate::signature!(@names forwards ($inner) $method);)+
    };
}
