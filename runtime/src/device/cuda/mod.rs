//! The CUDA driver: contexts, memory, streams, textures.

pub(crate) mod buffer_pool;
pub(crate) mod driver;
pub(crate) mod failure;
pub(crate) mod memory;
pub(crate) mod peer_memory;
pub(crate) mod stream;
pub(crate) mod texture;
