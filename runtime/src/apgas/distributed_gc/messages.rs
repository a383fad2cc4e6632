//! Messages of the distributed garbage collector: changes of weights, requests for collections, answers.

use crate::apgas::message::kinds;
use crate::apgas::system::system;
use crate::base::place::PlaceId;
use crate::heap::global_refs::Change;
use crate::serialize::Error;
use crate::serialize::read::Input;
use crate::serialize::write;

/// Sends each home its changes, in this order.
pub(crate) fn send_changes(outbox: Vec<(PlaceId, Change)>) {
    let mut homes: Vec<PlaceId> = outbox.iter().map(|(home, _)| *home).collect();
    homes.sort_unstable();
    homes.dedup();
    for home in homes {
        let changes: Vec<Change> = outbox.iter().filter(|(to, _)| *to == home).map(|(_, it)| *it).collect();
        // Several messages of moderate size leave room for others between them.
        for part in changes.chunks(1000) {
            system().send_control(home, kinds::WEIGHT_CHANGES, &encode(part));
        }
    }
}

/// Requests a collection from every other place.
pub(crate) fn request_collections(round: u64) {
    for place in PlaceId::first(system().hosts()).filter(|place| *place != crate::base::place::here()) {
        send_round(place, kinds::COLLECTION_REQUEST, round);
    }
}

/// Answers the request of a place: this one has collected.
pub(crate) fn answer_request(place: PlaceId, round: u64) {
    send_round(place, kinds::COLLECTION_DONE, round);
}

fn send_round(place: PlaceId, kind: u8, round: u64) {
    let mut body = Vec::new();
    write::number(&mut body, round);
    system().send_control(place, kind, &body);
}

/// Host places.
pub(crate) fn hosts() -> usize {
    system().hosts() as usize
}

/// Changes as bytes.
pub(crate) fn encode(changes: &[Change]) -> Vec<u8> {
    let mut out = Vec::new();
    for change in changes {
        let amount = change.by.unsigned_abs();
        write::number(&mut out, change.number);
        write::number(&mut out, change.account);
        out.push(u8::from(change.by < 0));
        write::number(&mut out, amount as u64);
        write::number(&mut out, (amount >> 64) as u64);
    }
    out
}

/// Changes from bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<Change>, Error> {
    let mut input = Input::new(bytes);
    let mut changes = Vec::new();
    while input.remaining() > 0 {
        let (number, account, sign) = (input.number()?, input.number()?, input.number()?);
        let amount = u128::from(input.number()?) | u128::from(input.number()?) << 64;
        let (Ok(amount), 0 | 1) = (i128::try_from(amount), sign) else { return input.malformed("a weight") };
        changes.push(Change { number, account, by: if sign == 1 { -amount } else { amount } });
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_round_trip_and_truncated_ones_are_errors() {
        let changes = [
            Change { number: 1, account: 0, by: -(1 << 70) },
            Change { number: u64::MAX, account: 1 << 40 | 1, by: 1 << 40 },
        ];
        let bytes = encode(&changes);
        assert_eq!(decode(&bytes), Ok(changes.to_vec()));
        let ends: Vec<usize> = (0..bytes.len()).filter(|length| decode(&bytes[..*length]).is_ok()).collect();
        assert_eq!(ends, [0, encode(&changes[..1]).len()]);
    }
}
