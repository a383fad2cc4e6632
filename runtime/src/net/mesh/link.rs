//! Connections before the mesh uses them.

use std::net::TcpStream;

/// A connection with another place after the handshake.
pub struct Link {
    /// The connection.
    pub stream: TcpStream,
    /// The other place's process.
    pub process: u32,
}
