//! Finish proxies: what a place keeps for a finish of another place. See [`crate::apgas`] for the protocol.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::apgas::engine::FinishScope;
use crate::apgas::failure::Undelivered;
use crate::apgas::finish::id::FinishId;
use crate::apgas::finish::root;
use crate::apgas::marshal;
use crate::apgas::message::{FinishDelta, Message};
use crate::apgas::system::system;
use crate::base::place::{PlaceId, here};
use crate::heap::Ref;

/// The proxy of a finish.
struct FinishProxy {
    id: FinishId,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What runs here of the finish.
    live: u64,
    /// Activities that arrived since the last report.
    arrived: i64,
    /// Activities that were sent on since then, by place.
    sent: HashMap<PlaceId, i64>,
    /// Encoded.
    exceptions: Vec<Vec<u8>>,
    /// A thread sends a report.
    is_reporting: bool,
}

/// The finishes of other places that have activities at a place.
#[derive(Default)]
pub(crate) struct ProxyTable(Mutex<HashMap<FinishId, Arc<FinishProxy>>>);

/// An activity of that finish has arrived: what it reports to, entered. `None` for a finish of this place
/// that does not wait for it.
pub(crate) fn arrive(id: FinishId) -> Option<Arc<dyn FinishScope>> {
    if id == FinishId::NONE {
        let scope = system().engine().uncounted();
        scope.enter();
        return Some(scope);
    }
    if id.home == here() {
        return arrive_home(id);
    }
    let mut proxies = system().state.proxies.0.lock();
    let proxy = proxies.entry(id).or_insert_with(|| Arc::new(FinishProxy { id, state: Mutex::default() }));
    let mut state = proxy.state.lock();
    state.live += 1;
    state.arrived += 1;
    drop(state);
    Some(Arc::clone(proxy) as Arc<dyn FinishScope>)
}

fn arrive_home(id: FinishId) -> Option<Arc<dyn FinishScope>> {
    let scope = root::find(id.number)?;
    scope.enter();
    root::report(id.number, &[(id.home, -1)]);
    Some(scope)
}

impl FinishScope for FinishProxy {
    fn enter(&self) {
        self.state.lock().live += 1;
    }

    fn leave(&self, exception: Ref) {
        let encoded = (!exception.is_null()).then(|| marshal::encode_exception(exception));
        let mut state = self.state.lock();
        state.exceptions.extend(encoded);
        state.live -= 1;
        if state.live > 0 || state.is_reporting {
            return;
        }
        state.is_reporting = true;
        let first = state.take_report(self.id);
        drop(state);
        self.send_reports(first);
    }

    fn global_id(&self, _: &Arc<dyn FinishScope>) -> FinishId {
        self.id
    }

    fn on_remote_spawn(&self, _: &Arc<dyn FinishScope>, place: PlaceId) {
        *self.state.lock().sent.entry(place).or_insert(0) += 1;
    }
}

impl FinishProxy {
    /// Sends a report, and those of what arrives and ends meanwhile: one after another, since the home would
    /// take a finish for ended that counts a later one first (see [`crate::apgas`]).
    fn send_reports(&self, first: FinishDelta) {
        let mut report = first;
        loop {
            system().deliver(self.id.home, &Message::FinishReport(report), Undelivered::Report(self.id));
            // Nothing may arrive between the decision and the removal.
            let mut table = system().state.proxies.0.lock();
            let mut state = self.state.lock();
            if state.live > 0 {
                state.is_reporting = false;
                return;
            }
            if state.arrived == 0 {
                table.remove(&self.id);
                return;
            }
            report = state.take_report(self.id);
        }
    }
}

impl State {
    /// What has happened since the last report of a finish, of which nothing runs here.
    fn take_report(&mut self, finish: FinishId) -> FinishDelta {
        let mut deltas: Vec<(PlaceId, i64)> = self.sent.drain().collect();
        deltas.push((here(), -std::mem::take(&mut self.arrived)));
        deltas.sort_unstable();
        FinishDelta { finish: finish.number, deltas, exceptions: std::mem::take(&mut self.exceptions) }
    }
}

/// What the body of an `at` from another place reports to. The activity that waits for it keeps the finish
/// from ending, so that nothing is counted until the body starts something.
pub(crate) struct RemoteAtScope {
    id: FinishId,
    used: OnceLock<Arc<dyn FinishScope>>,
}

impl RemoteAtScope {
    /// Under that finish.
    pub(crate) fn new(id: FinishId) -> RemoteAtScope {
        RemoteAtScope { id, used: OnceLock::new() }
    }

    fn real(&self) -> &Arc<dyn FinishScope> {
        self.used.get_or_init(|| match root::find(self.id.number) {
            // Back at home: the finish itself, which needs no report.
            Some(scope) if self.id.home == here() => {
                scope.enter();
                scope
            }
            // Another place's word for a finish that has ended: nobody waits for what the body starts.
            _ => arrive(self.id).unwrap_or_else(|| {
                let scope = system().engine().uncounted();
                scope.enter();
                scope
            }),
        })
    }

    /// The body has ended: whether the place that waits has to count the visit as an activity that it sent
    /// here.
    pub(crate) fn counts(&self) -> bool {
        self.used.get().is_some() && self.id.home != here() && self.id != FinishId::NONE
    }
}

impl FinishScope for RemoteAtScope {
    fn enter(&self) {
        self.real().enter();
    }

    fn leave(&self, exception: Ref) {
        // Of the body, if it started nothing, nobody keeps account.
        if let Some(scope) = self.used.get() {
            scope.leave(exception);
        }
    }

    fn global_id(&self, _: &Arc<dyn FinishScope>) -> FinishId {
        self.id
    }

    fn on_remote_spawn(&self, _: &Arc<dyn FinishScope>, place: PlaceId) {
        let real = self.real();
        real.on_remote_spawn(real, place);
    }

    fn is_remote_at(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;
    use crate::apgas::failure::{DeadPlace, DeadPlacePolicy};
    use crate::apgas::system::System;
    use crate::base::ending::Ending;
    use crate::net::endpoint::{self, Endpoint, PlaceEnded};
    use crate::serialize::out_of_band::Part;
    use crate::topology::Selection;

    /// The second of three places. Each send says that it has begun, and ends when it may.
    struct HeldSends {
        is_sending: AtomicBool,
        begun: Mutex<Sender<()>>,
        may_end: Mutex<Receiver<()>>,
        sent: Mutex<Sender<FinishDelta>>,
    }

    impl Endpoint for HeldSends {
        fn here(&self) -> PlaceId {
            PlaceId(1)
        }

        fn hosts(&self) -> u32 {
            3
        }

        fn start(&self, _: Arc<dyn endpoint::Receiver>) -> io::Result<()> {
            Ok(())
        }

        fn send(&self, _: PlaceId, body: &[u8], _: &[Part]) -> Result<(), PlaceEnded> {
            assert!(!self.is_sending.swap(true, Ordering::SeqCst), "a report is sent beside another");
            self.begun.lock().send(()).expect("the test waits");
            self.may_end.lock().recv().expect("the test answers");
            match Message::decode(body).expect("a message").0 {
                Message::FinishReport(report) => self.sent.lock().send(report).expect("the test waits"),
                other => panic!("{other:?}"),
            }
            self.is_sending.store(false, Ordering::SeqCst);
            Ok(())
        }

        fn put(&self, _: PlaceId, _: &[u8], _: &[u8]) -> Result<(), PlaceEnded> {
            unreachable!("reports are messages")
        }

        fn shutdown(&self) {}
    }

    struct NoDeath;

    impl DeadPlacePolicy for NoDeath {
        fn on_dead_place(&self, dead: DeadPlace) {
            panic!("{} was not killed", dead.name);
        }
    }

    #[test]
    fn reports_of_a_finish_are_sent_one_after_another() {
        let ((begun, begins), (end, may_end), (sent, reports)) = (channel(), channel(), channel());
        let endpoint = HeldSends {
            is_sending: AtomicBool::new(false),
            begun: Mutex::new(begun),
            may_end: Mutex::new(may_end),
            sent: Mutex::new(sent),
        };
        let ending = Box::leak(Box::new(Ending::new()));
        let place = System::new(Arc::new(endpoint), Selection::None, Box::new(NoDeath), ending);
        let _place = place.enter();
        let id = FinishId { home: PlaceId::ZERO, number: 7 };
        let first = arrive(id).expect("of another place");
        first.on_remote_spawn(&first, PlaceId(2));
        let sender = std::thread::spawn(move || {
            let _place = place.enter();
            first.leave(Ref::NULL);
        });
        begins.recv().expect("the first report");
        for _ in 0..2 {
            // Does not wait for the first report.
            arrive(id).expect("of another place").leave(Ref::NULL);
        }
        let third = arrive(id).expect("of another place");
        end.send(()).expect("the sender waits");
        sender.join().expect("no panic");
        let sent = || reports.try_iter().map(|report| report.deltas).collect::<Vec<_>>();
        assert_eq!(sent(), [vec![(PlaceId(1), -1), (PlaceId(2), 1)]]);
        end.send(()).expect("the sender waits");
        third.leave(Ref::NULL);
        assert_eq!(sent(), [vec![(PlaceId(1), -3)]]);
        assert!(place.state.proxies.0.lock().is_empty());
    }
}
