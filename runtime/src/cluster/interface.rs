//! Which address of a host the places of other hosts connect to.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};

use crate::net::bootstrap::connect::LOOPBACK;

/// How a host chooses its address.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    /// The user's: the name of an interface (`eth0`) or a network (`10.0.0.0/8`).
    pub interface: Option<String>,
    /// An address of another host; none if all places are on one machine.
    pub toward: Option<IpAddr>,
    /// The address at which the launcher reaches this host.
    pub reached: Option<IpAddr>,
}

impl Choice {
    /// The address of this host: of the interface that the user has named; else the one at which the launcher
    /// reaches this host; else the one from which this host reaches another.
    ///
    /// # Errors
    /// There is no such interface, or no route.
    pub(super) fn address(&self) -> Result<IpAddr, String> {
        if let Some(interface) = &self.interface {
            return named(interface);
        }
        let Some(other) = self.toward else { return Ok(LOOPBACK) };
        match self.reached {
            Some(address) if !address.is_loopback() => Ok(address),
            _ => source_toward(other).map_err(|error| format!("there is no route to {other}: {error}")),
        }
    }
}

/// The address of this host to which the ssh client has connected, if this process runs under sshd.
pub(super) fn reached_by_ssh() -> Option<IpAddr> {
    // "client address, client port, server address, server port".
    std::env::var("SSH_CONNECTION").ok()?.split(' ').nth(2)?.parse().ok()
}

/// The address from which the system would send to another one.
pub(super) fn source_toward(other: IpAddr) -> io::Result<IpAddr> {
    let any: SocketAddr = if other.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0_u16; 8], 0).into() };
    let socket = UdpSocket::bind(any)?;
    // Nothing is sent: the system only looks for a route.
    socket.connect((other, 9))?;
    Ok(socket.local_addr()?.ip())
}

/// The first address of the interface or in the network, IPv4 before IPv6.
pub(super) fn named(wanted: &str) -> Result<IpAddr, String> {
    let interfaces =
        if_addrs::get_if_addrs().map_err(|error| format!("cannot list the interfaces: {error}"))?;
    let network = parse_network(wanted);
    let fits = |interface: &&if_addrs::Interface| match network {
        Some((network, length)) => contains(network, length, interface.ip()),
        None => interface.name == wanted,
    };
    let mut found: Vec<IpAddr> = interfaces.iter().filter(fits).map(if_addrs::Interface::ip).collect();
    found.sort_by_key(|address| address.is_ipv6());
    found.first().copied().ok_or_else(|| {
        let mut all: Vec<String> = interfaces.iter().map(|it| format!("{} ({})", it.name, it.ip())).collect();
        all.sort();
        format!("--interface {wanted}: there is no such interface or network; there are {}", all.join(", "))
    })
}

/// The addresses of this machine at which other machines may reach it, IPv4 before IPv6.
pub(super) fn reachable() -> io::Result<Vec<IpAddr>> {
    let is_wide = |address: &IpAddr| match address {
        IpAddr::V4(address) => !address.is_loopback() && !address.is_link_local(),
        IpAddr::V6(address) => !address.is_loopback() && !address.is_unicast_link_local(),
    };
    let mut addresses: Vec<IpAddr> =
        if_addrs::get_if_addrs()?.iter().map(if_addrs::Interface::ip).filter(is_wide).collect();
    addresses.sort_by_key(IpAddr::is_ipv6);
    Ok(addresses)
}

/// `10.0.0.0/8`.
fn parse_network(text: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = text.split_once('/')?;
    Some((address.parse().ok()?, length.parse().ok()?))
}

/// Whether an address begins with the first `length` bits of `network`.
fn contains(network: IpAddr, length: u32, address: IpAddr) -> bool {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()) << 96, 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    };
    let ((network_bits, width), (address_bits, other_width)) = (bits(network), bits(address));
    // Shifted by all bits, nothing is left to differ.
    let difference = (network_bits ^ address_bits).checked_shr(128 - length.min(128)).unwrap_or(0);
    width == other_width && length <= width && difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        let inside = |network: &str, address: &str| {
            let (network, length) = parse_network(network).expect("a network");
            contains(network, length, address.parse().expect("an address"))
        };
        assert!(inside("10.77.0.0/16", "10.77.3.4"));
        assert!(!inside("10.77.0.0/16", "10.78.3.4"));
        assert!(inside("0.0.0.0/0", "10.78.3.4"));
        assert!(inside("10.0.0.7/32", "10.0.0.7") && !inside("10.0.0.7/32", "10.0.0.6"));
        assert!(!inside("0.0.0.0/0", "::1") && !inside("10.0.0.0/33", "10.0.0.0"));
        assert!(inside("fe80::/10", "fe81::1") && !inside("fe80::/10", "fc00::1"));
        assert_eq!(parse_network("eth0"), None);
    }

    #[test]
    fn loopback_is_found_by_network_and_missing_interfaces_are_named() {
        let choice = |interface: &str| Choice { interface: Some(interface.to_owned()), ..Choice::default() };
        assert_eq!(choice("127.0.0.0/8").address(), Ok(LOOPBACK));
        let error = choice("nosuch0").address().expect_err("no such interface");
        assert!(error.contains("--interface nosuch0") && error.contains("127.0.0.1"), "{error}");
        assert_eq!(Choice::default().address(), Ok(LOOPBACK));
        assert_eq!(source_toward(LOOPBACK).expect("a route"), LOOPBACK);
    }
}
