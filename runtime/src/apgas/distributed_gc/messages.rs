//! Messages of the distributed garbage collector: changes of weights, requests for collections, answers.

use crate::apgas::failure::Undelivered;
use crate::apgas::message::Message;
use crate::apgas::system::system;
use crate::base::place::PlaceId;
use crate::heap::global_refs::Change;

/// Sends each home its changes, in this order.
pub(crate) fn send_changes(outbox: Vec<(PlaceId, Change)>) {
    let mut homes: Vec<PlaceId> = outbox.iter().map(|(home, _)| *home).collect();
    homes.sort_unstable();
    homes.dedup();
    for home in homes {
        let changes: Vec<Change> = outbox.iter().filter(|(to, _)| *to == home).map(|(_, it)| *it).collect();
        // Several messages of moderate size leave room for others between them.
        for part in changes.chunks(1000) {
            let message = Message::WeightChanges(part.to_vec());
            system().deliver(home, &message, Undelivered::Control);
        }
    }
}

/// Requests a collection from every other place.
pub(crate) fn request_collections(round: u64) {
    for place in PlaceId::first(system().hosts()).filter(|place| *place != crate::base::place::here()) {
        system().deliver(place, &Message::CollectionRequest(round), Undelivered::Control);
    }
}

/// Answers the request of a place: this one has collected.
pub(crate) fn answer_request(place: PlaceId, round: u64) {
    system().deliver(place, &Message::CollectionDone(round), Undelivered::Control);
}

/// Host places.
pub(crate) fn hosts() -> usize {
    system().hosts() as usize
}
