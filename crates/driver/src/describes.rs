//! A macro that implements those methods of a driver that return constants.
//!
//! Start reading at [`describes!`](crate::describes).

/// Implements the [`crate::Driver`] methods that return constants. Example: `describes!(MANIFEST, CAPABILITIES,
/// dialect::Toy, Thread);`
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
