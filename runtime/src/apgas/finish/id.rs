//! Names of finishes.

use serde::{Deserialize, Serialize};

use crate::base::place::PlaceId;

/// A finish, as all places know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FinishId {
    /// The host place where its body runs.
    pub home: PlaceId,
    /// Its number there.
    pub number: u64,
}

impl FinishId {
    /// No finish: nobody waits.
    pub const NONE: FinishId = FinishId { home: PlaceId(u32::MAX), number: 0 };
}
