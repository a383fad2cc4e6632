//! The state of a place's protocols. A place owns its own, so that several places can live in one process.

use std::sync::Arc;

use crate::apgas::clock::ClockTable;
use crate::apgas::clock::remote::ClockRequests;
use crate::apgas::deadlock::quiescence::Waves;
use crate::apgas::finish::proxy::ProxyTable;
use crate::apgas::finish::root::FinishTable;
use crate::apgas::rail_copy::CopyTable;
use crate::apgas::slots::PlaceSlots;
use crate::apgas::team::Mailbox;

/// What a place keeps for the protocols with other places.
#[derive(Default)]
pub(crate) struct ProtocolState {
    /// Finishes of this place.
    pub finishes: Arc<FinishTable>,
    /// Finishes of other places with activities here.
    pub proxies: ProxyTable,
    /// Collective operations.
    pub mailbox: Mailbox,
    /// Clocks of this place.
    pub clocks: ClockTable,
    /// Requests to clocks of other places.
    pub clock_requests: ClockRequests,
    /// Copies from and to other places.
    pub copies: CopyTable,
    /// Messages between slots.
    pub slots: PlaceSlots,
    /// Waves of quiescence detection.
    pub waves: Waves,
}
