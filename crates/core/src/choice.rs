//! Closed sets of words: an enumeration that is written and read by its words.

/// Defines an enumeration whose values have words: in flags, files and records they are written and read
/// as these.
///
/// ```
/// tacho_core::choice! {
///     /// How loud.
///     pub enum Volume {
///         /// Hardly.
///         Low = "low",
///         /// Very.
///         High = "high",
///     }
/// }
/// assert_eq!(Volume::from_word("high"), Some(Volume::High));
/// assert_eq!(Volume::Low.word(), "low");
/// assert_eq!(Volume::WORDS, ["low", "high"]);
/// ```
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "tacho_core::serde")]
        $vis enum $name {
            $($(#[$about])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// The words, in the order of the values.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word of the value.
            pub const fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }

            /// The value of the word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}
