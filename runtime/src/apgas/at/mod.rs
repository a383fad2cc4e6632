//! `at` and `async at` (X10 language specification 2.6, "Places"): closures that run at other places, and the
//! remote calls that wait for them.

pub mod invoke;
pub mod rpc;
