//! Queries in flight: what the snapshots of one database are asked at the moment, for the log of an edit that
//! waits for them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

/// The queries in flight of one database. All clones are the same list.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(Arc<Mutex<Queries>>);

#[derive(Debug, Default)]
struct Queries {
    next_id: u64,
    by_id: BTreeMap<u64, (Instant, String)>,
}

/// Registration of a query, which is in flight until this is dropped.
#[derive(Debug)]
pub(crate) struct QueryGuard {
    in_flight: InFlight,
    id: u64,
}

impl InFlight {
    /// Registers a query.
    pub(crate) fn begin(&self, description: String) -> QueryGuard {
        let mut queries = self.0.lock();
        let id = queries.next_id;
        queries.next_id += 1;
        queries.by_id.insert(id, (Instant::now(), description));
        QueryGuard { in_flight: self.clone(), id }
    }

    /// Whether no query is in flight.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().by_id.is_empty()
    }

    /// The queries in flight with their ages, for the log.
    pub(crate) fn describe(&self) -> String {
        let queries = self.0.lock();
        let descriptions = queries
            .by_id
            .values()
            .map(|(since, description)| format!("{description} (for {:.1?})", since.elapsed()));
        descriptions.collect::<Vec<_>>().join(", ")
    }
}

impl Drop for QueryGuard {
    fn drop(&mut self) {
        self.in_flight.0.lock().by_id.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_is_described_until_its_guard_is_dropped() {
        let in_flight = InFlight::default();
        let (first, second) = (in_flight.begin("hover".into()), in_flight.begin("completion".into()));
        let description = in_flight.describe();
        assert!(description.contains("hover (for ") && description.contains("completion"));
        drop(first);
        assert!(!in_flight.describe().contains("hover") && !in_flight.is_empty());
        drop(second);
        assert!(in_flight.is_empty());
    }
}
