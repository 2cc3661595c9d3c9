//! Enumerations in which a fixed word represents each value.

/// Defines an enumeration and the word that represents each value in flags, files and records.
///
/// ```
/// tacho_core::choice! {
///     /// A volume.
///     pub enum Volume {
///         /// Barely audible.
///         Low = "low",
///         /// As loud as possible.
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
            /// All words, in the same order as the values.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Returns the word for this value.
            pub const fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }

            /// Returns the value for a word, or `None` if the word is unknown.
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
