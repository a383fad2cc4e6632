//! What is being asked of the database at the moment, so that an edit that waits for it can say for what.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The questions of one database. All clones are the same list.
#[derive(Clone, Debug, Default)]
pub struct Asked(Arc<Mutex<Questions>>);

#[derive(Debug, Default)]
struct Questions {
    next: u64,
    all: BTreeMap<u64, (Instant, String)>,
}

/// A question: it is asked while this lives.
#[derive(Debug)]
pub struct Question {
    asked: Asked,
    nth: u64,
}

impl Asked {
    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody asks this.
    pub fn begin(&self, what: String) -> Question {
        let mut questions = self.questions();
        let nth = questions.next;
        questions.next += 1;
        questions.all.insert(nth, (Instant::now(), what));
        Question { asked: self.clone(), nth }
    }

    /// Whether nobody asks anything.
    pub fn is_empty(&self) -> bool {
        self.questions().all.is_empty()
    }

    /// What is asked and since when, for the log.
    pub fn list(&self) -> String {
        let questions = self.questions();
        let each =
            questions.all.values().map(|(since, what)| format!("{what} (for {:.1?})", since.elapsed()));
        each.collect::<Vec<_>>().join(", ")
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.asked.questions().all.remove(&self.nth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_listed_while_it_is_asked() {
        let asked = Asked::default();
        let (first, second) = (asked.begin("hover".into()), asked.begin("completion".into()));
        assert!(asked.list().contains("hover (for ") && asked.list().contains("completion"));
        drop(first);
        assert!(!asked.list().contains("hover") && !asked.is_empty());
        drop(second);
        assert!(asked.is_empty());
    }
}
