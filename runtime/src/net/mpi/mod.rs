//! MPI (MPI 3.1) as the carrier of messages between places, for networks that an MPI knows better than TCP.
//!
//! Frames ([`crate::net::frame`]) travel as a stream of MPI messages from each place to each other, in
//! pieces of which long ones go from and to the memory of the program. The connections of the mesh remain:
//! they show that places live.

/// Environment variables with which places start: MPIs leave faults to the runtime, which handles them. The
/// libraries read them when they are loaded.
pub const VARIABLES: [(&str, &str); 2] = [("OMPI_MCA_opal_signal", "6"), ("UCX_HANDLE_ERRORS", "none")];

mod binding;
mod device_option;
pub mod endpoint;
mod inbox;
mod library;
mod outbox;
mod pause;
pub mod probe;
mod shim;
mod standard_abi;
#[cfg(test)]
mod tests;
