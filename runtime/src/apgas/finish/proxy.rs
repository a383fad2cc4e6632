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
        {
            let mut state = self.state.lock();
            state.exceptions.extend(encoded);
            if state.live > 1 {
                state.live -= 1;
                return;
            }
        }
        // Perhaps the last one: nothing may arrive between the decision and the removal.
        let mut table = system().state.proxies.0.lock();
        let mut state = self.state.lock();
        state.live -= 1;
        if state.live > 0 {
            return;
        }
        table.remove(&self.id);
        let state = std::mem::take(&mut *state);
        drop(table);
        let mut deltas: Vec<(PlaceId, i64)> = state.sent.into_iter().collect();
        deltas.push((here(), -state.arrived));
        deltas.sort_unstable();
        let report = FinishDelta { finish: self.id.number, deltas, exceptions: state.exceptions };
        system().deliver(self.id.home, &Message::FinishReport(report), Undelivered::Report(self.id));
    }

    fn global_id(&self, _: &Arc<dyn FinishScope>) -> FinishId {
        self.id
    }

    fn on_remote_spawn(&self, _: &Arc<dyn FinishScope>, place: PlaceId) {
        *self.state.lock().sent.entry(place).or_insert(0) += 1;
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
