//! Clients that do not know a program's secret, at every port of a program that starts: nothing, noise, half
//! of an answer, one byte now and then, too much, and thousands of connections.

use std::collections::VecDeque;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::waiting::eventually;

/// Connections of an attack.
const CONNECTIONS: usize = 10_000;
/// When the attacked program may start, unless the ports take no more before.
const CONNECTIONS_BEFORE_START: usize = 1000;
/// Fewer are no attack.
const MIN_CONNECTIONS: usize = 200;
/// Connections that are open at a time.
const MAX_HELD: usize = 500;
/// The challenge of a handshake, all that a stranger receives.
const CHALLENGE_BYTES: usize = 32;

/// The addresses of IPv4 at which a process listens.
pub fn listeners(process: u32) -> Vec<SocketAddr> {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let links = descriptors.filter_map(|entry| fs::read_link(entry.path()).ok());
    let own: Vec<String> = links.map(|link| link.display().to_string()).collect();
    // "number: local address, remote address, state, ...": 0A listens, and the tenth word is the socket; an
    // address is four bytes in the order of this machine, and the port.
    let address = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, local, _, "0A", _, _, _, _, _, socket, ..] = words[..] else { return None };
        let (ip, port) = local.split_once(':')?;
        let ip = u32::from_str_radix(ip, 16).ok()?.to_ne_bytes();
        let port = u16::from_str_radix(port, 16).ok()?;
        own.contains(&format!("socket:[{socket}]")).then(|| SocketAddr::from((ip, port)))
    };
    let sockets = fs::read_to_string(format!("/proc/{process}/net/tcp")).unwrap_or_default();
    sockets.lines().filter_map(address).collect()
}

/// Waits until one of these processes listens; all their addresses.
///
/// # Panics
/// None of them does.
pub fn wait_for_listeners(processes: impl Fn() -> Vec<u32>) -> Vec<SocketAddr> {
    let mut found = Vec::new();
    let mut listens = || {
        found = processes().into_iter().flat_map(listeners).collect();
        !found.is_empty()
    };
    assert!(eventually(&mut listens), "no process listens");
    found
}

/// Attacks these addresses; calls `let_start` once, when many connections were made or the ports take no
/// more, and continues. The last ones.
///
/// # Panics
/// There were too few connections for an attack.
pub fn attack(addresses: &[SocketAddr], let_start: impl FnOnce()) -> VecDeque<TcpStream> {
    let (mut held, mut connections, mut let_start) = (VecDeque::new(), 0, Some(let_start));
    for address in addresses.iter().cycle().take(CONNECTIONS) {
        let stream = TcpStream::connect_timeout(address, Duration::from_secs(1));
        if (stream.is_err() || connections >= CONNECTIONS_BEFORE_START)
            && let Some(let_start) = let_start.take()
        {
            let_start();
        }
        let Ok(mut stream) = stream else {
            // As many as are accepted at once say nothing: they make room.
            held.clear();
            continue;
        };
        let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
        connections += 1;
        let _ = match connections % 4 {
            0 => Ok(()),
            1 => stream.write_all(&[0x5a; 40]),
            2 => stream.write_all(&[0xff; 4096]),
            _ => stream.write_all(b"\0"),
        };
        held.push_back(stream);
        if held.len() > MAX_HELD {
            held.pop_front();
        }
    }
    assert!(connections > MIN_CONNECTIONS, "there were {connections} connections");
    held
}

/// Checks that none of these clients has received anything but challenges.
///
/// # Panics
/// One of them has.
pub fn assert_only_challenges_received(clients: VecDeque<TcpStream>) {
    for mut stream in clients.into_iter().take(50) {
        let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        assert!(said.len() <= CHALLENGE_BYTES, "{said:?}");
    }
}
