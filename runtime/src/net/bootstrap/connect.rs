//! Connecting the processes of a program: place 0 listens, the others get its address and a secret, and every
//! connection begins with a handshake ([`crate::net::bootstrap::handshake`]), so that no other process is
//! accepted. Places of one machine use the loopback interface.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::base::place::PlaceId;
use crate::net::bootstrap::handshake::{
    self, ADDRESS_SIZE, Hello, Member, POLL_INTERVAL, Secret, StartContext, decode_address, encode_address,
};
use crate::net::mesh::endpoint::Mesh;
use crate::net::mesh::link::Link;
use crate::net::placement::Placement;
use crate::serialize::Error;
use crate::serialize::read::Input;
use crate::serialize::write;

/// Environment variable of a place's process: `PLACE/DESCRIPTOR`, its number and the inherited descriptor
/// of its [`BootstrapInfo`]. The secret in it must not be in the environment or the arguments, which others
/// can list.
const VARIABLE: &str = "APG_PLACE_INVITATION";

/// Whether this process was started as a place and [`take_bootstrap_info`] has not been called.
pub fn is_invited() -> bool {
    std::env::var_os(VARIABLE).is_some()
}
/// Maximum number of bytes of an encoded [`BootstrapInfo`].
const MAX_INFO_SIZE: u64 = 1 << 24;
/// Pause before a place connects again.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// Longest wait for one connection before it is tried again: the first packets may have been lost.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes by which place 0 describes a place: address and process.
const ENTRY_SIZE: usize = ADDRESS_SIZE + 4;

/// What a place needs to connect with the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapInfo {
    /// The number of the place.
    pub place: PlaceId,
    /// Where the places are.
    pub placement: Placement,
    /// Address of place 0. Of place 0 itself: the one of `listener`.
    pub leader: SocketAddr,
    /// The address of this machine at which the other places reach it.
    pub address: IpAddr,
    /// Of place 0: the inherited listener at `leader`.
    pub listener: Option<i32>,
    /// An open file that all places of a machine inherit, see [`crate::base::output_lock`].
    pub output_lock: Option<i32>,
    /// An inherited pipe by which the place says that it ends in order; none for places of place 0's machine.
    pub farewell: Option<i32>,
    /// An inherited file for the place's part of the profile, which another process joins with the others.
    pub profile: Option<i32>,
    /// Proof of belonging.
    pub secret: Secret,
    /// Whether connections between hosts are encrypted.
    pub encrypts: bool,
}

impl BootstrapInfo {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write::number(&mut out, u64::from(self.place.0));
        self.placement.encode(&mut out);
        out.extend_from_slice(&encode_address(self.leader));
        out.extend_from_slice(&encode_address(SocketAddr::new(self.address, 0)));
        for descriptor in [self.listener, self.output_lock, self.farewell, self.profile] {
            write::signed(&mut out, i64::from(descriptor.unwrap_or(-1)));
        }
        out.extend_from_slice(&self.secret.0);
        out.push(u8::from(self.encrypts));
        out
    }

    fn decode(bytes: &[u8]) -> Result<BootstrapInfo, Error> {
        let mut input = Input::new(bytes);
        let place = input.number()?;
        let placement = Placement::decode(&mut input)?;
        let Some(place) = u32::try_from(place).ok().filter(|place| *place < placement.places()) else {
            return input.malformed("the number of a place");
        };
        let mut address = || Ok(decode_address(array(input.bytes(ADDRESS_SIZE)?)));
        let (leader, own) = (address()?, address()?);
        let mut descriptor = || Ok(i32::try_from(input.signed()?).ok().filter(|it| *it >= 0));
        let (listener, output_lock) = (descriptor()?, descriptor()?);
        let (farewell, profile) = (descriptor()?, descriptor()?);
        let secret = Secret(*array(input.bytes(32)?));
        // Anything but a plain no is a yes.
        let encrypts = input.bytes(1)? != [0];
        input.end()?;
        Ok(BootstrapInfo {
            place: PlaceId(place),
            placement,
            leader,
            address: own.ip(),
            listener,
            output_lock,
            farewell,
            profile,
            secret,
            encrypts,
        })
    }

    /// As a file in memory, to be inherited by the place.
    ///
    /// # Errors
    /// There is no memory or descriptor left.
    pub fn to_file(&self) -> io::Result<File> {
        // SAFETY: a constant name; the result is checked.
        let descriptor = unsafe { libc::memfd_create(c"apg-place".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new descriptor that nothing else owns.
        let mut file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.write_all(&self.encode())?;
        file.rewind()?;
        Ok(file)
    }

    /// The environment variable that names the file of [`BootstrapInfo::to_file`] to the place.
    pub fn variable(&self, file: &File) -> (&'static str, String) {
        (VARIABLE, format!("{}/{}", self.place.0, file.as_raw_fd()))
    }
}

fn array<const SIZE: usize>(bytes: &[u8]) -> &[u8; SIZE] {
    bytes.try_into().expect("SIZE bytes were read")
}

/// The info that this process has inherited, if it was started as a place. It is taken out of the
/// environment, so that child processes are not taken for places.
///
/// # Safety
/// No other thread runs yet, and nothing has used the inherited descriptors.
pub unsafe fn take_bootstrap_info() -> Option<BootstrapInfo> {
    let descriptor: i32 = std::env::var(VARIABLE).ok()?.split_once('/')?.1.parse().ok()?;
    // SAFETY: no other thread runs yet, as the caller guarantees.
    unsafe { std::env::remove_var(VARIABLE) };
    // SAFETY: asks for a flag of what may be no descriptor.
    if descriptor <= libc::STDERR_FILENO || unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
        return None;
    }
    // SAFETY: it is open, and nothing else owns it, as the caller guarantees.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    let mut bytes = Vec::new();
    file.take(MAX_INFO_SIZE).read_to_end(&mut bytes).ok()?;
    BootstrapInfo::decode(&bytes).ok()
}

/// Listens on a free port of an address of this machine.
///
/// # Errors
/// The machine does not have the address, or no port is free.
pub fn listen(address: IpAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((address, 0))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// The address of places that are all on this machine.
pub const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Reads from a place that may still be starting.
fn read_from(
    start: &StartContext<'_>,
    stream: &mut TcpStream,
    place: PlaceId,
    mut bytes: &mut [u8],
) -> io::Result<()> {
    stream.set_read_timeout(Some(POLL_INTERVAL))?;
    while !bytes.is_empty() {
        match stream.read(bytes) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => bytes = &mut bytes[count..],
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                start.check(|| {
                    let name = start.placement.describe(place);
                    format!("{name} has connected, but does not continue")
                })?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Place 0: accepts all others and sends each the addresses of the rest.
///
/// # Errors
/// What keeps the places from starting.
pub fn host(listener: TcpListener, start: &StartContext<'_>) -> io::Result<Mesh> {
    let address = listener.local_addr()?;
    let members = start.accept(&listener, 1..start.placement.places())?;
    drop(listener);
    let own = Hello { place: PlaceId(0), address, process: std::process::id(), identity: start.identity };
    let mut table = Vec::with_capacity((members.len() + 1) * ENTRY_SIZE);
    for hello in std::iter::once(&own).chain(members.iter().map(|caller| &caller.hello)) {
        table.extend_from_slice(&encode_address(hello.address));
        table.extend_from_slice(&hello.process.to_le_bytes());
    }
    let mut links = vec![None];
    for Member { hello, mut stream } in members {
        stream.write_all(&table)?;
        links.push(Some(Link { stream, process: hello.process }));
    }
    for (place, link) in (0..).map(PlaceId).zip(links.iter_mut()) {
        let Some(link) = link else { continue };
        // The launcher knows better than this connection how a process has ended.
        read_from(start, &mut link.stream, place, &mut [0]).map_err(|error| {
            let name = start.placement.describe(place);
            let text = (start.failed)().unwrap_or_else(|| format!("{name} did not come up: {error}"));
            io::Error::other(text)
        })?;
    }
    Mesh::new(start.here, start.placement, links, start.encrypts.then_some(&start.secret), start.deadline)
}

/// Connects with a place and completes the handshake. A place with too many pending connections closes some
/// before the handshake: then again.
fn call(
    start: &StartContext<'_>,
    place: PlaceId,
    address: SocketAddr,
    hello: &Hello,
) -> io::Result<TcpStream> {
    loop {
        let connection = connect(start, place, address, hello);
        let Err(error) = connection else { return connection };
        start.check(|| describe_failure(start, place, address, &error))?;
        std::thread::sleep(RETRY_INTERVAL);
    }
}

/// "cannot connect with place 0 on node7 (10.0.0.7:40123): connection timed out; ...".
fn describe_failure(
    start: &StartContext<'_>,
    place: PlaceId,
    address: SocketAddr,
    error: &io::Error,
) -> String {
    let name = start.placement.describe(place);
    let is_remote = start.placement.host(place) != start.placement.host(start.here);
    let advice = match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable
            if is_remote =>
        {
            "; hosts have to reach each other at any port: a firewall drops this, or `--interface` has to \
             name another network"
        }
        io::ErrorKind::ConnectionRefused if is_remote => {
            "; a firewall rejects this, or `--interface` has to name another network"
        }
        _ => "",
    };
    format!("cannot connect with {name} ({address}): {error}{advice}")
}

fn connect(
    start: &StartContext<'_>,
    place: PlaceId,
    address: SocketAddr,
    hello: &Hello,
) -> io::Result<TcpStream> {
    let left = start.deadline.saturating_duration_since(Instant::now()).max(POLL_INTERVAL);
    let mut stream = TcpStream::connect_timeout(&address, left.min(CONNECT_TIMEOUT))?;
    handshake::call(&mut stream, &start.secret, place, hello, |stream, bytes| {
        read_from(start, stream, place, bytes)
    })?;
    Ok(stream)
}

/// Any other place: connects with place 0, then with the rest.
///
/// # Errors
/// What keeps the places from starting.
pub fn join(info: &BootstrapInfo, identity: u64, deadline: Instant) -> io::Result<Mesh> {
    let BootstrapInfo { place, leader, address, secret, ref placement, .. } = *info;
    let start = StartContext {
        here: place,
        placement,
        secret,
        encrypts: info.encrypts,
        identity,
        deadline,
        failed: &|| None,
    };
    let listener = listen(address)?;
    let hello = Hello { place, address: listener.local_addr()?, process: std::process::id(), identity };
    let mut zero = call(&start, PlaceId(0), leader, &hello)?;
    let mut table = vec![0; ENTRY_SIZE * placement.places() as usize];
    read_from(&start, &mut zero, PlaceId(0), &mut table)?;
    let table: Vec<(SocketAddr, u32)> = table
        .chunks_exact(ENTRY_SIZE)
        .map(|entry| {
            let (address, process) = entry.split_at(ADDRESS_SIZE);
            (decode_address(array(address)), u32::from_le_bytes(*array(process)))
        })
        .collect();
    let mut links: Vec<Option<Link>> = Vec::new();
    for (other, (address, process)) in (0..).map(PlaceId).zip(&table).take(place.0 as usize).skip(1) {
        let stream = call(&start, other, *address, &hello)?;
        links.push(Some(Link { stream, process: *process }));
    }
    for Member { hello, stream } in start.accept(&listener, place.0 + 1..placement.places())? {
        links.push(Some(Link { stream, process: hello.process }));
    }
    zero.write_all(&[1])?;
    links.insert(0, Some(Link { stream: zero, process: table[0].1 }));
    links.insert(place.0 as usize, None);
    Mesh::new(place, placement, links, info.encrypts.then_some(&secret), deadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bootstrap_info_round_trips_and_damage_is_an_error() {
        let info = BootstrapInfo {
            place: PlaceId(2),
            placement: Placement::on_this_machine(4),
            leader: SocketAddr::new(LOOPBACK, 12345),
            address: LOOPBACK,
            listener: None,
            output_lock: Some(5),
            farewell: Some(7),
            profile: Some(8),
            secret: Secret([0xa5; 32]),
            encrypts: true,
        };
        let bytes = info.encode();
        for length in 0..bytes.len() {
            assert!(BootstrapInfo::decode(&bytes[..length]).is_err());
        }
        assert_eq!(BootstrapInfo::decode(&bytes).as_ref(), Ok(&info));
        let mut file = info.to_file().expect("a file in memory");
        let mut read = Vec::new();
        file.read_to_end(&mut read).expect("readable");
        assert_eq!(read, bytes);
        assert!(!format!("{info:?}").contains("165"), "secrets are not printed");
        let outside = BootstrapInfo { place: PlaceId(4), ..info };
        assert!(BootstrapInfo::decode(&outside.encode()).is_err());
    }
}
