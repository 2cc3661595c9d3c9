//! The anomalies that each isolation level excludes.

use tacho_core::IsolationLevel;

use crate::Class;

impl Class {
    /// Returns true if no transaction at this level can be part of such an anomaly.
    ///
    /// Without predicate reads, repeatable read excludes the same anomalies as serializable.
    pub fn is_excluded_by(self, level: IsolationLevel) -> bool {
        let weakest = match self {
            Self::StaleRead => return false,
            Self::DirtyWrite
            | Self::IncompatibleOrder
            | Self::ImpossibleValue
            | Self::OwnWrites
            | Self::LostWrite => IsolationLevel::ReadUncommitted,
            Self::AbortedRead | Self::IntermediateRead | Self::CircularFlow => {
                IsolationLevel::ReadCommitted
            }
            Self::LostUpdate | Self::ReadSkew | Self::NonadjacentSkew => {
                IsolationLevel::SnapshotIsolation
            }
            Self::WriteSkew => IsolationLevel::RepeatableRead,
        };
        level >= weakest
    }
}

/// Returns the strongest level that excludes none of the classes found, or `None` if even the weakest level excludes
/// one.
pub fn strongest_level(found: &[Class]) -> Option<IsolationLevel> {
    let holds = |level: &IsolationLevel| !found.iter().any(|class| class.is_excluded_by(*level));
    IsolationLevel::ALL.into_iter().rev().find(holds)
}

#[cfg(test)]
mod tests {
    use tacho_core::IsolationLevel as Level;

    use super::*;

    #[test]
    fn a_stronger_level_excludes_everything_that_a_weaker_one_does() {
        for pair in Level::ALL.windows(2) {
            for class in Class::ALL {
                let excluded = [pair[0], pair[1]].map(|level| class.is_excluded_by(level));
                assert!(excluded != [true, false], "{pair:?} {class:?}");
            }
        }
    }

    #[test]
    fn the_strongest_level_excludes_no_class_found() {
        assert_eq!(strongest_level(&[]), Some(Level::Serializable));
        assert_eq!(strongest_level(&[Class::StaleRead]), Some(Level::Serializable));
        assert_eq!(strongest_level(&[Class::WriteSkew]), Some(Level::SnapshotIsolation));
        let both = [Class::WriteSkew, Class::LostUpdate];
        assert_eq!(strongest_level(&both), Some(Level::ReadCommitted));
        assert_eq!(strongest_level(&[Class::AbortedRead]), Some(Level::ReadUncommitted));
        assert_eq!(strongest_level(&[Class::LostWrite]), None);
    }
}
