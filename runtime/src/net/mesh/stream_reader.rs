//! The thread that reads from all connections without rings (readiness multiplexing by `poll(2)`).

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::heap;
use crate::heap::page_watch;
use crate::net::endpoint::Receiver;
use crate::net::frame::assembly::{Assembly, Delivery};
use crate::net::mesh::peer::{Peer, run_handler};
use crate::net::mesh::tls::Tls;
use crate::net::poll::{receive_available, wait_readable};

/// Bytes of one read.
const READ_BUFFER_SIZE: usize = 64 << 10;
/// Maximum number of reads from one connection before the others are read.
const MAX_READS_PER_ROUND: usize = 16;
/// Maximum wait; each round also shows that the thread does not hang.
const MAX_WAIT: Duration = Duration::from_millis(300);

struct Connection {
    peer: Arc<Peer>,
    assembly: Assembly,
}

/// Reads until all connections have ended. Counts the rounds.
pub(super) fn run(peers: Vec<Arc<Peer>>, rounds: &AtomicU64, receiver: &dyn Receiver) {
    let mut connections: Vec<Connection> =
        peers.into_iter().map(|peer| Connection { peer, assembly: Assembly::default() }).collect();
    let mut buffer = vec![0; READ_BUFFER_SIZE];
    while !connections.is_empty() {
        rounds.fetch_add(1, Ordering::Relaxed);
        let descriptors: Vec<_> = connections.iter().map(|it| it.peer.stream.as_fd()).collect();
        let Ok(ready) = heap::while_parked(|| wait_readable(&descriptors, MAX_WAIT)) else {
            // Out of kernel memory: the next round may have some.
            std::thread::sleep(MAX_WAIT);
            continue;
        };
        let mut ready = ready.into_iter();
        connections.retain_mut(|connection| {
            if ready.next() != Some(true) {
                return true;
            }
            let result = run_handler(|| connection.read(&mut buffer, receiver));
            let continues = matches!(result, Ok(true));
            if !continues {
                connection.peer.end(result.map(|_| ()), receiver);
            }
            continues
        });
    }
}

impl Connection {
    /// Reads what has come, or much of it; false at the end.
    fn read(&mut self, buffer: &mut [u8], receiver: &dyn Receiver) -> io::Result<bool> {
        let Connection { peer, assembly } = self;
        if let Some(tls) = peer.tls.clone() {
            return self.read_encrypted(&tls, buffer, receiver);
        }
        let delivery = Delivery { from: peer.identity.place, receiver, left: &peer.has_shut_down };
        for _ in 0..MAX_READS_PER_ROUND {
            let direct = assembly.direct();
            let is_direct = direct.is_some();
            let target = direct.unwrap_or(&mut *buffer);
            let (start, room) = (target.as_ptr() as usize, target.len());
            let read = match is_direct {
                true => page_watch::written_by_system(start, room, || {
                    receive_available(&peer.stream, &mut *target)
                })?,
                false => receive_available(&peer.stream, target)?,
            };
            let count = match read {
                None => return Ok(true),
                Some(0) if assembly.is_between_frames() => return Ok(false),
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(count) => count,
            };
            peer.signs.fetch_add(1, Ordering::Relaxed);
            match is_direct {
                true => assembly.filled(count, delivery)?,
                false => assembly.feed(&buffer[..count], delivery)?,
            }
            if count < room {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// The same for a connection whose bytes have to be decrypted first.
    fn read_encrypted(&mut self, tls: &Tls, buffer: &mut [u8], receiver: &dyn Receiver) -> io::Result<bool> {
        let Connection { peer, assembly } = self;
        let delivery = Delivery { from: peer.identity.place, receiver, left: &peer.has_shut_down };
        for _ in 0..MAX_READS_PER_ROUND {
            let count = match receive_available(&peer.stream, buffer)? {
                None => return Ok(true),
                Some(0) if assembly.is_between_frames() => return Ok(false),
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(count) => count,
            };
            peer.signs.fetch_add(1, Ordering::Relaxed);
            tls.decrypt(&buffer[..count], |plain| assembly.feed(plain, delivery))?;
            if count < buffer.len() {
                return Ok(true);
            }
        }
        Ok(true)
    }
}
