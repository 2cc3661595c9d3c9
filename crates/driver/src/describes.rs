//! The constants of a driver, for several methods at once.
//!
//! Start reading at [`describes!`](crate::describes).

/// The methods of [`crate::Driver`] with constant results: manifest, capabilities, dialect and scheduling, such as
/// `describes!(MANIFEST, CAPABILITIES, dialect::Toy, Thread);` within the implementation.
#[macro_export]
macro_rules! describes {
    ($manifest:path, $capabilities:expr, $dialect:path, $scheduling:ident) => {
        fn manifest(&self) -> &'static $crate::Manifest {
            &$manifest
        }

        fn capabilities(&self) -> $crate::Capabilities {
            $capabilities
        }

        fn dialect(&self) -> &dyn $crate::Dialect {
            &$dialect
        }

        fn scheduling(&self) -> $crate::Scheduling {
            $crate::Scheduling::$scheduling
        }
    };
}
