//! `at`: closures that run at other places, and the calls that wait for them.

pub mod invoke;
pub mod rpc;
