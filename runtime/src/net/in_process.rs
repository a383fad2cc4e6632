//! In-process endpoint: several places of one process, whose messages a seeded schedule delivers (randomised
//! testing of distributed protocols as in Ozkan and others, "Randomized Testing of Distributed Systems with
//! Probabilistic Guarantees", OOPSLA 2018).
//!
//! One thread delivers. It draws the pair of places whose oldest message comes next, so that messages of
//! different pairs overtake each other in any way, and those of a pair never. The seed decides the draws; the
//! interleaving with the threads that send is the system's.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};

use crate::base::place::PlaceId;
use crate::net::endpoint::{Endpoint, PlaceEnded, Receiver, deliver_message, deliver_put};
use crate::serialize::out_of_band::{Part, Received};

/// What happens to messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Decides all draws.
    pub seed: u64,
    /// This place reads only when no other has anything to read.
    pub slow: Option<PlaceId>,
    /// This place ends after as many deliveries: messages to and from it are lost, and the others hear of it.
    pub loss: Option<(PlaceId, u64)>,
}

/// A network of places in one process. Its thread ends when this is dropped.
pub struct Network {
    wire: Arc<Wire>,
    courier: Option<JoinHandle<()>>,
}

struct Wire {
    schedule: Schedule,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// By place.
    receivers: Vec<Option<Arc<dyn Receiver>>>,
    queues: HashMap<Pair, VecDeque<Packet>>,
    /// Pairs whose queues are not empty, and whose receivers have started.
    ready: Vec<Pair>,
    dead: BTreeSet<PlaceId>,
    random: u64,
    deliveries: u64,
    is_closed: bool,
}

/// Sender and receiver.
type Pair = (PlaceId, PlaceId);

enum Packet {
    Message {
        body: Vec<u8>,
        parts: Vec<Vec<u8>>,
    },
    Put {
        header: Vec<u8>,
        data: Vec<u8>,
    },
    /// The sender has died.
    PeerDown,
}

impl Network {
    /// A network of that many places.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn new(places: u32, schedule: Schedule) -> io::Result<Network> {
        let state = State {
            receivers: vec![None; places as usize],
            random: schedule.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            ..State::default()
        };
        let wire = Arc::new(Wire { schedule, state: Mutex::new(state), changed: Condvar::new() });
        let delivers = Arc::clone(&wire);
        let courier =
            std::thread::Builder::new().name("apg-courier".to_owned()).spawn(move || delivers.run())?;
        Ok(Network { wire, courier: Some(courier) })
    }

    /// The endpoint of a place.
    pub fn endpoint(&self, place: PlaceId) -> Arc<dyn Endpoint> {
        Arc::new(Port { here: place, wire: Arc::clone(&self.wire) })
    }

    /// How many messages and puts were delivered.
    pub fn deliveries(&self) -> u64 {
        self.wire.state.lock().deliveries
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.wire.state.lock().is_closed = true;
        self.wire.changed.notify_all();
        if let Some(courier) = self.courier.take() {
            // A handler's panic is the test's.
            courier.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    }
}

impl State {
    /// Marsaglia's xorshift64.
    fn below(&mut self, end: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % end as u64) as usize
    }

    fn push(&mut self, pair: Pair, packet: Packet) {
        let queue = self.queues.entry(pair).or_default();
        if queue.is_empty() && self.receivers[pair.1.index()].is_some() {
            self.ready.push(pair);
        }
        queue.push_back(packet);
    }

    /// The place receives from now on; what was sent to it before has waited.
    fn start(&mut self, place: PlaceId, receiver: Arc<dyn Receiver>) {
        self.receivers[place.index()] = Some(receiver);
        for from in PlaceId::first(self.receivers.len() as u32) {
            if self.queues.get(&(from, place)).is_some_and(|queue| !queue.is_empty()) {
                self.ready.push((from, place));
            }
        }
    }

    /// Takes the oldest packet of a pair that is drawn.
    fn draw(&mut self, slow: Option<PlaceId>) -> Option<(Pair, Packet)> {
        let awake = self.ready.iter().filter(|(_, to)| Some(*to) != slow).count();
        let index = if awake == 0 || awake == self.ready.len() {
            if self.ready.is_empty() {
                return None;
            }
            self.below(self.ready.len())
        } else {
            let drawn = self.below(awake);
            let mut of_others = self.ready.iter().enumerate().filter(|(_, (_, to))| Some(*to) != slow);
            of_others.nth(drawn).map(|(index, _)| index)?
        };
        let pair = self.ready[index];
        let queue = self.queues.get_mut(&pair)?;
        let packet = queue.pop_front()?;
        if queue.is_empty() {
            self.ready.swap_remove(index);
        }
        Some((pair, packet))
    }

    /// The place ends: what is in flight is lost, and the others hear of it.
    fn kill(&mut self, place: PlaceId) {
        self.dead.insert(place);
        let is_lost = |(from, to): &Pair| *from == place || *to == place;
        self.queues.retain(|pair, _| !is_lost(pair));
        self.ready.retain(|pair| !is_lost(pair));
        for other in PlaceId::first(self.receivers.len() as u32).filter(|other| *other != place) {
            self.push((place, other), Packet::PeerDown);
        }
    }
}

impl Wire {
    /// Delivers until the network is dropped.
    fn run(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some((place, after)) = self.schedule.loss
                && state.deliveries >= after
                && !state.dead.contains(&place)
            {
                state.kill(place);
            }
            let drawn = if state.is_closed { None } else { state.draw(self.schedule.slow) };
            let Some(((from, to), packet)) = drawn else {
                if state.is_closed {
                    return;
                }
                self.changed.wait(&mut state);
                continue;
            };
            state.deliveries += 1;
            let receiver = state.receivers[to.index()].clone();
            drop(state);
            if let Some(receiver) = receiver {
                deliver(&*receiver, from, packet);
            }
            state = self.state.lock();
        }
    }

    fn send(&self, pair: Pair, packet: Packet) -> Result<(), PlaceEnded> {
        let mut state = self.state.lock();
        let (from, to) = pair;
        if to.index() >= state.receivers.len() || state.dead.contains(&to) || state.dead.contains(&from) {
            return Err(PlaceEnded(to));
        }
        state.push(pair, packet);
        self.changed.notify_one();
        Ok(())
    }
}

/// Hands a packet over. A malformed one ends its sender for the receiver, which hears of it.
fn deliver(receiver: &dyn Receiver, from: PlaceId, packet: Packet) {
    let handled = match packet {
        Packet::Message { body, parts } => {
            let parts = parts.into_iter().map(Received::Bytes).collect();
            deliver_message(receiver, from, Cow::Owned(body), parts)
        }
        Packet::Put { header, data } => deliver_put(receiver, from, &header, &data),
        Packet::PeerDown => {
            receiver.peer_down(from, None);
            Ok(())
        }
    };
    // The receiver has heard of it.
    handled.unwrap_or_else(|PlaceEnded(place)| tracing::debug!(place = place.0, "malformed"));
}

/// The endpoint of a place.
struct Port {
    here: PlaceId,
    wire: Arc<Wire>,
}

impl Endpoint for Port {
    fn here(&self) -> PlaceId {
        self.here
    }

    fn hosts(&self) -> u32 {
        self.wire.state.lock().receivers.len() as u32
    }

    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()> {
        self.wire.state.lock().start(self.here, receiver);
        self.wire.changed.notify_one();
        Ok(())
    }

    fn send(&self, to: PlaceId, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        let parts = parts.iter().map(|part| part.bytes().to_vec()).collect();
        self.wire.send((self.here, to), Packet::Message { body: body.to_vec(), parts })
    }

    fn put(&self, to: PlaceId, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        self.wire.send((self.here, to), Packet::Put { header: header.to_vec(), data: data.to_vec() })
    }

    fn shutdown(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::message_log::{DOWN, MessageLog};

    /// Two places send 20 messages each to a third one: the log of that one after `count` deliveries.
    fn play(schedule: Schedule, count: u64) -> Vec<(PlaceId, Vec<u8>)> {
        let network = Network::new(3, schedule).expect("a thread");
        let logs: Vec<Arc<MessageLog>> = PlaceId::first(3).map(|_| Arc::default()).collect();
        for (place, log) in PlaceId::first(3).zip(&logs) {
            network.endpoint(place).start(Arc::clone(log) as Arc<dyn Receiver>).expect("started");
        }
        {
            // Nothing is delivered before all is sent.
            let mut state = network.wire.state.lock();
            for number in 0..20_u8 {
                for from in [PlaceId(0), PlaceId(1)] {
                    state.push((from, PlaceId(2)), Packet::Message { body: vec![number], parts: vec![] });
                }
            }
            network.wire.changed.notify_all();
        }
        while network.deliveries() < count {
            std::thread::yield_now();
        }
        drop(network);
        logs[2].take()
    }

    #[test]
    fn messages_of_a_pair_stay_in_order_and_those_of_others_are_drawn() {
        let log = |seed| play(Schedule { seed, ..Schedule::default() }, 40);
        let one = log(1);
        for from in [PlaceId(0), PlaceId(1)] {
            let of_pair = one.iter().filter(|(it, _)| *it == from).map(|(_, body)| body[0]);
            assert!(of_pair.eq(0..20), "{from}");
        }
        assert_eq!(log(1), one, "a seed repeats its draws");
        assert_ne!(log(2), one);
    }

    #[test]
    fn message_waits_until_its_receiver_starts() {
        let network = Network::new(2, Schedule { loss: Some((PlaceId(0), 1)), ..Schedule::default() });
        let network = network.expect("a thread");
        let [zero, one] = [0, 1].map(|place| network.endpoint(PlaceId(place)));
        assert_eq!(zero.send(PlaceId(1), b"early", &[]), Ok(()));
        std::thread::yield_now();
        let log: Arc<MessageLog> = Arc::default();
        one.start(Arc::clone(&log) as Arc<dyn Receiver>).expect("started");
        while network.deliveries() < 2 {
            std::thread::yield_now();
        }
        drop(network);
        assert_eq!(*log.0.lock(), [(PlaceId(0), b"early".to_vec()), (PlaceId(0), b"down".to_vec())]);
    }

    #[test]
    fn dead_place_loses_its_messages_and_is_noticed() {
        let schedule = Schedule { loss: Some((PlaceId(1), 0)), ..Schedule::default() };
        let network = Network::new(3, schedule).expect("a thread");
        let log: Arc<MessageLog> = Arc::default();
        network.endpoint(PlaceId(2)).start(Arc::clone(&log) as Arc<dyn Receiver>).expect("started");
        let [zero, one] = [0, 1].map(|place| network.endpoint(PlaceId(place)));
        while zero.send(PlaceId(1), b"lost", &[]).is_ok() {
            std::thread::yield_now();
        }
        assert_eq!(one.send(PlaceId(2), b"late", &[]), Err(PlaceEnded(PlaceId(2))));
        assert_eq!(zero.send(PlaceId(2), b"kept", &[]), Ok(()));
        while !log.0.lock().contains(&(PlaceId(0), b"kept".to_vec())) {
            std::thread::yield_now();
        }
        drop(network);
        let log = log.0.lock();
        assert!(log.iter().all(|(from, body)| *from != PlaceId(1) || body == DOWN), "{log:?}");
    }
}
