//! Programs on many hosts: a launcher ([`session`]) starts an agent ([`agent`]) on each host, by ssh or
//! directly, and the agents start the places, which connect with each other ([`crate::net`]).

pub mod agent;
mod c_library;
pub mod channel;
mod control;
pub mod environment;
pub mod frames;
pub mod fuzzing;
pub mod hostfile;
pub mod identity;
mod interface;
pub mod membership;
mod rendezvous;
pub mod session;
pub mod slurm;
pub mod ssh;
