//! Build and run on a remote machine: a client ([`client`]) reaches an agent ([`agent`]) there by ssh, sends
//! the files of a program that the machine lacks ([`store`]), and has it run as a job, whose supervisor
//! ([`supervisor`]) keeps the output in a journal until a client has it, also over several connections.
//!
//! All sides are the `apg` executable in different modes, copied to the machine by its identity
//! ([`apg_runtime::cluster::channel`]).

pub mod agent;
pub mod client;
pub mod config;
mod folder;
pub mod fuzzing;
mod heartbeat;
mod job;
mod journal;
pub mod manifest;
pub mod protocol;
mod serve;
mod store;
pub mod supervisor;
