//! Finish root: a finish at its home, with the counts of its activities at other places.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use crate::apgas::engine::FinishScope;
use crate::apgas::finish::id::FinishId;
use crate::apgas::system::system;
use crate::base::place::PlaceId;
use crate::base::sanitizer;
use crate::heap::Ref;

/// The part of a local finish that exists from its first activity elsewhere on. Keep one in every finish; it
/// costs nothing until then. It is dropped with the finish, which must have ended.
#[derive(Default)]
pub struct FinishRoot(OnceLock<Arc<Shared>>);

struct Shared {
    number: u64,
    /// Where it is.
    table: Arc<FinishTable>,
    /// The finish itself.
    scope: Weak<dyn FinishScope>,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// Activities sent to a place less those that ended there; zeros are left out.
    places: HashMap<PlaceId, i64>,
    /// The finish has been entered once on behalf of all these.
    entered: bool,
}

/// The finishes of a place that other places may know.
#[derive(Default)]
pub(crate) struct FinishTable {
    by_number: Mutex<BTreeMap<u64, Weak<Shared>>>,
    last: AtomicU64,
}

impl FinishTable {
    /// The finishes of the table's place, `home`, that wait for activities at another one, and for how many.
    pub(crate) fn waiting_for(&self, home: PlaceId, place: PlaceId) -> Vec<(FinishId, i64)> {
        let known: Vec<Arc<Shared>> = self.by_number.lock().values().filter_map(Weak::upgrade).collect();
        let count = |shared: Arc<Shared>| {
            let count = shared.counts.lock().places.get(&place).copied().filter(|count| *count > 0)?;
            Some((FinishId { home, number: shared.number }, count))
        };
        known.into_iter().filter_map(count).collect()
    }
}

impl FinishRoot {
    /// The finish's number, from now on known.
    pub fn global_id(&self, this: &Arc<dyn FinishScope>) -> FinishId {
        FinishId { home: crate::base::place::here(), number: self.shared(this).number }
    }

    /// An activity is about to be sent to `place`.
    pub fn on_remote_spawn(&self, this: &Arc<dyn FinishScope>, place: PlaceId) {
        self.shared(this).add(&[(place, 1)], &**this);
    }

    /// The finish's number, if it is known.
    pub fn number(&self) -> Option<FinishId> {
        self.0.get().map(|shared| FinishId { home: crate::base::place::here(), number: shared.number })
    }

    /// No other place has heard of the finish.
    pub fn is_unknown(&self) -> bool {
        self.0.get().is_none()
    }

    fn shared(&self, this: &Arc<dyn FinishScope>) -> &Arc<Shared> {
        self.0.get_or_init(|| {
            let table = Arc::clone(&system().state.finishes);
            let number = table.last.fetch_add(1, Ordering::Relaxed) + 1;
            let scope = Arc::downgrade(this);
            let shared =
                Arc::new(Shared { number, table: Arc::clone(&table), scope, counts: Mutex::default() });
            table.by_number.lock().insert(number, Arc::downgrade(&shared));
            shared
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.table.by_number.lock().remove(&self.number);
    }
}

impl Shared {
    /// Adds to the counts, and keeps the finish entered while one of them is not zero.
    fn add(&self, deltas: &[(PlaceId, i64)], scope: &dyn FinishScope) {
        // What came before any of the reports has come before the end that the last one brings.
        sanitizer::release(self);
        let mut counts = self.counts.lock();
        for (place, delta) in deltas {
            let count = counts.places.entry(*place).or_insert(0);
            // No program starts 2^63 activities; a count that is wrong only ends its finish early or never.
            *count = count.wrapping_add(*delta);
            if *count == 0 {
                counts.places.remove(place);
            }
        }
        let outstanding = !counts.places.is_empty();
        let change = outstanding != counts.entered;
        counts.entered = outstanding;
        if change && outstanding {
            // Under the lock: a report that empties the counts must find the finish entered.
            scope.enter();
        }
        drop(counts);
        if change && !outstanding {
            sanitizer::acquire(self);
            scope.leave(Ref::NULL);
        }
    }
}

fn shared(number: u64) -> Option<Arc<Shared>> {
    system().state.finishes.by_number.lock().get(&number)?.upgrade()
}

/// The finish with this number, if it has not ended.
pub(crate) fn find(number: u64) -> Option<Arc<dyn FinishScope>> {
    shared(number)?.scope.upgrade()
}

/// A place has reported; false if there is no such finish. The exceptions of its activities must have been
/// entered before.
pub(crate) fn report(number: u64, deltas: &[(PlaceId, i64)]) -> bool {
    if let Some(shared) = shared(number)
        && let Some(scope) = shared.scope.upgrade()
    {
        shared.add(deltas, &*scope);
        return true;
    }
    false
}
