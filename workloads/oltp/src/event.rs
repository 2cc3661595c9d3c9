//! The composition of an event: groups of identical statements on one table.
//!
//! Start reading at [`Event::groups`].

use tacho_workload::Options;

use crate::params::GROUPS;

/// A group of equal statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Point,
    SimpleRange,
    SumRange,
    OrderRange,
    DistinctRange,
    IndexUpdate,
    NonIndexUpdate,
    /// Deletes a row and inserts a new row with the same ID.
    DeleteInsert,
    Delete,
    Insert,
    BulkInsert,
    RandomPoints,
    RandomRanges,
}

/// The groups whose number of statements can be set, in the same order as in [`GROUPS`].
const COUNTED: [Group; 8] = [
    Group::Point,
    Group::SimpleRange,
    Group::SumRange,
    Group::OrderRange,
    Group::DistinctRange,
    Group::IndexUpdate,
    Group::NonIndexUpdate,
    Group::DeleteInsert,
];

/// Event to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    ReadWrite,
    ReadOnly,
    WriteOnly,
    PointSelect,
    UpdateIndex,
    UpdateNonIndex,
    Delete,
    Insert,
    BulkInsert,
    RandomPoints,
    RandomRanges,
}

impl Event {
    /// Returns the event called `word`.
    pub fn of(word: &str) -> Self {
        match word {
            "read-only" => Self::ReadOnly,
            "write-only" => Self::WriteOnly,
            "point-select" => Self::PointSelect,
            "update-index" => Self::UpdateIndex,
            "update-non-index" => Self::UpdateNonIndex,
            "delete" => Self::Delete,
            "insert" => Self::Insert,
            "bulk-insert" => Self::BulkInsert,
            "random-points" => Self::RandomPoints,
            "random-ranges" => Self::RandomRanges,
            _ => Self::ReadWrite,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadWrite => "read_write",
            Self::ReadOnly => "read_only",
            Self::WriteOnly => "write_only",
            Self::PointSelect => "point_select",
            Self::UpdateIndex => "update_index",
            Self::UpdateNonIndex => "update_non_index",
            Self::Delete => "delete",
            Self::Insert => "insert",
            Self::BulkInsert => "bulk_insert",
            Self::RandomPoints => "random_points",
            Self::RandomRanges => "random_ranges",
        }
    }

    /// Returns true if the event's statements run inside a database transaction.
    pub const fn is_transaction(self) -> bool {
        matches!(self, Self::ReadWrite | Self::ReadOnly | Self::WriteOnly)
    }

    /// Returns true if the event leaves the set of rows unchanged.
    pub const fn keeps_rows(self) -> bool {
        !matches!(self, Self::Delete | Self::Insert | Self::BulkInsert)
    }

    /// Returns true if the event is a bulk insert, which uses different tables than all other events.
    pub const fn is_bulk(self) -> bool {
        matches!(self, Self::BulkInsert)
    }

    /// Returns true if the event assigns IDs to new rows.
    pub const fn numbers_rows(self) -> bool {
        matches!(self, Self::Insert | Self::BulkInsert)
    }

    /// Returns the event's groups in execution order, each with its count.
    pub fn groups(self, options: &Options) -> Vec<(Group, u64)> {
        let counted = COUNTED.iter().zip(GROUPS).map(|(group, key)| (*group, options.count(key)));
        let all: Vec<(Group, u64)> = match self {
            Self::ReadWrite => counted.collect(),
            Self::ReadOnly => counted.take(5).collect(),
            Self::WriteOnly => counted.skip(5).collect(),
            Self::PointSelect => vec![(Group::Point, 1)],
            Self::UpdateIndex => counted.skip(5).take(1).collect(),
            Self::UpdateNonIndex => counted.skip(6).take(1).collect(),
            Self::Delete => vec![(Group::Delete, 1)],
            Self::Insert => vec![(Group::Insert, 1)],
            Self::BulkInsert => vec![(Group::BulkInsert, 1)],
            Self::RandomPoints => vec![(Group::RandomPoints, 1)],
            Self::RandomRanges => vec![(Group::RandomRanges, 1)],
        };
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}
