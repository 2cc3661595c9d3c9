//! Layers. A layer wraps an implementation of a trait and overrides some of its methods.
//!
//! Start reading at [`layer!`](crate::layer).

/// Declares a layer: a trait whose methods forward to `inner()` by default. A generated test checks that the list of
/// methods matches the trait in the source file.
#[macro_export]
macro_rules! layer {
    (
        $(#[$doc:meta])*
        $layer:ident around $inner:ident in $source:literal;
        $(fn $method:ident $(<$life:lifetime>)?(
            & $($of:lifetime)? self $(, $argument:ident: $type:ty)* $(,)?
        ) $(-> $answer:ty)?;)+
    ) => {
        $(#[$doc])*
        pub trait $layer: Send + Sync {
            /// Returns the wrapped implementation.
            fn inner(&self) -> &dyn $inner;
            $(
                #[doc = concat!("Forwards [`", stringify!($inner), "::", stringify!($method), "`].")]
                fn $method $(<$life>)?(& $($of)? self $(, $argument: $type)*) $(-> $answer)? {
                    self.inner().$method($($argument),*)
                }
            )+
        }

        impl<L: $layer> $inner for L {
            $(
                fn $method $(<$life>)?(& $($of)? self $(, $argument: $type)*) $(-> $answer)? {
                    $layer::$method(self $(, $argument)*)
                }
            )+
        }

        #[cfg(test)]
        mod tests {
            /// The macro must be called with all methods of the trait. For a missing method, the trait's default
            /// implementation would silently be used instead of that of the wrapped object.
            #[test]
            fn every_method_is_forwarded() {
                let source = include_str!($source);
                let start = source.find(concat!("pub trait ", stringify!($inner), ": "));
                let body = source[start.expect("the trait")..].split("\n}\n").next();
                let lines = body.unwrap_or_default().lines();
                let methods = lines.filter_map(|line| line.strip_prefix("    fn "));
                let methods: Vec<&str> = methods.filter_map(|line| line.split(['(', '<']).next()).collect();
                assert_eq!(methods, [$(stringify!($method)),+]);
            }
        }
    };
}
