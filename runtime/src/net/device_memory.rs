//! Memory of accelerators as source and target of puts, for transports that read and write it themselves.

use std::io;
use std::sync::Arc;

use crate::base::place::PlaceId;
use crate::net::endpoint::PlaceEnded;

/// An accelerator, as libraries that read or write its memory need it.
pub trait DeviceContext: Send + Sync {
    /// Makes the accelerator the calling thread's.
    ///
    /// # Errors
    /// The accelerator has failed.
    fn enter(&self) -> io::Result<()>;
}

/// Memory of an accelerator of this host.
#[derive(Clone)]
pub struct DeviceMemory {
    /// The accelerator's address of the first byte, which the host cannot read.
    pub address: u64,
    /// Bytes.
    pub length: u64,
    /// The accelerator.
    pub context: Arc<dyn DeviceContext>,
}

/// Puts from memory of accelerators: an endpoint that has them also asks its receiver where puts land in such
/// memory ([`crate::net::Receiver::begin_device_put`]).
pub trait DevicePuts {
    /// As [`crate::net::Endpoint::put`], from memory that nothing writes meanwhile and that stays allocated.
    /// Not called by handlers of messages, which must not wait.
    ///
    /// # Errors
    /// The place has ended.
    fn put_from_device(&self, to: PlaceId, header: &[u8], source: &DeviceMemory) -> Result<(), PlaceEnded>;
}
