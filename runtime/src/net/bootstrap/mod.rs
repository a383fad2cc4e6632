//! Bootstrap: starting the processes of a program, and connecting them with each other.

pub mod capacity;
pub mod connect;
pub mod handshake;
pub mod launcher;
