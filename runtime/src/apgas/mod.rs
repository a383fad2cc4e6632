//! The APGAS model on top of the scheduler: activities, `finish`, clocks, `atomic` and `when`, locks, cancellation, deadlocks
//! (Saraswat and others, *The Asynchronous Partitioned Global Address Space Model*, 2010).

pub mod activity;
pub mod atomic;
pub mod cancellation;
pub mod clock;
pub mod deadlock;
pub mod finish;
pub mod local_engine;
pub mod lock;
