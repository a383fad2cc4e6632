//! Rendezvous: agents that another launcher has started call the launcher of the program at its port, which
//! takes those alone that know the run's secret ([`crate::net::bootstrap::handshake`]). The control channel
//! over such a connection is encrypted ([`crate::net::mesh::tls`]), since the places' secret travels in it.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::base::place::PlaceId;
use crate::cluster::frames::{Source, WatchedReader};
use crate::cluster::identity::{self, hexadecimal};
use crate::cluster::{agent, interface};
use crate::net::bootstrap::connect::{LOOPBACK, listen};
use crate::net::bootstrap::handshake::{self, Hello, Secret, StartContext};
use crate::net::mesh::tls::{Encryption, End, Tls};
use crate::net::placement::Placement;

/// Time for one address to answer before the next one is tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Pause before the addresses are tried again.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// Bytes of one read.
const READ_SIZE: usize = 16 << 10;
/// The launcher in handshakes, which has no number of a place.
const LAUNCHER: PlaceId = PlaceId(u32::MAX);
/// Maximum number of addresses in an [`Appointment`]: its text has to fit into a value of PMI.
const MAX_ADDRESSES: usize = 8;

/// Where the launcher waits for agents, and the secret by which they know each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Appointment {
    addresses: Vec<SocketAddr>,
    secret: Secret,
}

impl Appointment {
    /// One line of text.
    pub(super) fn to_text(&self) -> String {
        let addresses: Vec<String> = self.addresses.iter().map(SocketAddr::to_string).collect();
        format!("{} {}", hexadecimal(&self.secret.0), addresses.join(","))
    }

    /// Reads what [`Appointment::to_text`] writes.
    pub(super) fn from_text(text: &str) -> Option<Appointment> {
        let (secret, addresses) = text.trim().split_once(' ')?;
        let mut bytes = [0; 32];
        if secret.len() != 2 * bytes.len() || !secret.bytes().all(|it| it.is_ascii_hexdigit()) {
            return None;
        }
        for (byte, digits) in bytes.iter_mut().zip(secret.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        let addresses = addresses.split(',').map(str::parse).collect::<Result<Vec<_>, _>>().ok()?;
        Some(Appointment { addresses, secret: Secret(bytes) })
    }
}

/// The launcher's end of a connection with an agent.
pub struct Caller {
    pub(super) source: Box<dyn Source>,
    pub(super) sink: Box<dyn Write + Send>,
}

/// A launcher's port.
pub(super) struct Meeting {
    listener: TcpListener,
    pub(super) appointment: Appointment,
}

impl Meeting {
    /// Listens for agents: of this machine alone, or at the interface or network of that name, or at all
    /// addresses of this machine.
    pub(super) fn open(on_one_machine: bool, interface: Option<&str>) -> Result<Meeting, String> {
        let cannot_listen = |error: io::Error| format!("cannot listen for the other processes: {error}");
        let (at, addresses) = if on_one_machine {
            (LOOPBACK, vec![LOOPBACK])
        } else if let Some(interface) = interface {
            let address = interface::named(interface)?;
            (address, vec![address])
        } else {
            of_one_family(interface::reachable().map_err(cannot_listen)?)
        };
        let listener = listen(at).map_err(cannot_listen)?;
        let port = listener.local_addr().map_err(cannot_listen)?.port();
        let addresses = addresses.into_iter().take(MAX_ADDRESSES).map(|it| SocketAddr::new(it, port));
        let secret = Secret::random().map_err(|error| format!("there are no random bytes: {error}"))?;
        Ok(Meeting { listener, appointment: Appointment { addresses: addresses.collect(), secret } })
    }

    /// Waits for the agents with the numbers `expected`, whose hosts `placement` names.
    pub(super) fn wait(
        self,
        expected: std::ops::Range<u32>,
        placement: &Placement,
        deadline: Instant,
        failed: &dyn Fn() -> Option<String>,
    ) -> io::Result<Vec<Caller>> {
        let secret = self.appointment.secret;
        let start = StartContext {
            here: LAUNCHER,
            placement,
            secret,
            encrypts: true,
            identity: own_identity()?,
            deadline,
            failed,
        };
        let encryption = Encryption::new(&secret)?;
        let members = start.accept(&self.listener, expected)?;
        members.into_iter().map(|member| encrypt(&encryption, member.stream, End::Server)).collect()
    }
}

/// Where to listen for calls at these addresses, IPv4 before IPv6, and which of them are called: those of the
/// first one's family, since whether a port takes both is the system's setting.
fn of_one_family(addresses: Vec<IpAddr>) -> (IpAddr, Vec<IpAddr>) {
    match addresses.first() {
        Some(IpAddr::V6(_)) => (Ipv6Addr::UNSPECIFIED.into(), addresses),
        _ => (Ipv4Addr::UNSPECIFIED.into(), addresses.into_iter().filter(IpAddr::is_ipv4).collect()),
    }
}

/// Calls the launcher as agent `number`, and serves it until it ends.
pub(super) fn call_and_serve(number: u32, appointment: &Appointment, deadline: Instant) -> io::Result<()> {
    let stream = loop {
        match call(number, appointment) {
            Ok(stream) => break stream,
            Err(error) if Instant::now() >= deadline => return Err(error),
            Err(_) => std::thread::sleep(RETRY_INTERVAL),
        }
    };
    let own_address = stream.local_addr()?.ip();
    let caller = encrypt(&Encryption::new(&appointment.secret)?, stream, End::Client)?;
    // The launcher may build the program first.
    let input = WatchedReader::new(caller.source, None);
    agent::serve(input, caller.sink, Some(own_address))
}

fn call(number: u32, appointment: &Appointment) -> io::Result<TcpStream> {
    let identity = own_identity()?;
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in &appointment.addresses {
        let attempt = || {
            let mut stream = TcpStream::connect_timeout(address, CONNECT_TIMEOUT)?;
            stream.set_read_timeout(Some(CONNECT_TIMEOUT))?;
            let hello =
                Hello { place: PlaceId(number), address: *address, process: std::process::id(), identity };
            handshake::call(&mut stream, &appointment.secret, LAUNCHER, &hello, |stream, bytes| {
                stream.read_exact(bytes)
            })?;
            Ok(stream)
        };
        match attempt() {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// This executable as a number.
fn own_identity() -> io::Result<u64> {
    let digest = Sha256::digest(identity::of_this_executable()?);
    Ok(u64::from_le_bytes(*digest.first_chunk().expect("32 bytes")))
}

fn encrypt(encryption: &Encryption, mut stream: TcpStream, end: End) -> io::Result<Caller> {
    /// A process that has just proven that it belongs here answers at once.
    const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
    stream.set_nodelay(true)?;
    let tls = Arc::new(encryption.handshake(&mut stream, end)?);
    stream.set_read_timeout(None)?;
    let sink = EncryptedWriter { stream: stream.try_clone()?, tls: Arc::clone(&tls) };
    let plain = tls.take_early()?.into();
    let source = EncryptedReader { stream, tls, plain, received: vec![0; READ_SIZE] };
    Ok(Caller { source: Box::new(source), sink: Box::new(sink) })
}

struct EncryptedWriter {
    stream: TcpStream,
    tls: Arc<Tls>,
}

impl Write for EncryptedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.tls.encrypt(&[bytes])?;
        self.stream.write_all(&sent)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for EncryptedWriter {
    /// The other end reads to the end of the stream, although the reader of this end may go on.
    fn drop(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
    }
}

struct EncryptedReader {
    stream: TcpStream,
    tls: Arc<Tls>,
    /// What was decrypted and not read yet.
    plain: VecDeque<u8>,
    received: Vec<u8>,
}

impl AsFd for EncryptedReader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Source for EncryptedReader {
    fn has_buffered(&self) -> bool {
        !self.plain.is_empty()
    }
}

impl Read for EncryptedReader {
    /// [`io::ErrorKind::Interrupted`] if only a part of a record has come.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.plain.is_empty() {
            let count = self.stream.read(&mut self.received)?;
            if count == 0 {
                return Ok(0);
            }
            let plain = &mut self.plain;
            self.tls.decrypt(&self.received[..count], |bytes| {
                plain.extend(bytes);
                Ok(())
            })?;
            if self.plain.is_empty() {
                return Err(io::ErrorKind::Interrupted.into());
            }
        }
        self.plain.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::control::{FromAgent, ToAgent};
    use crate::cluster::frames::{read_frame, write_frame};

    #[test]
    fn appointments_round_trip_and_damage_is_refused() {
        let addresses = ["10.0.0.1:7", "[fe80::1]:9"].map(|it| it.parse().expect("an address")).to_vec();
        let appointment = Appointment { addresses, secret: Secret([0xa7; 32]) };
        let text = appointment.to_text();
        assert_eq!(Appointment::from_text(&text), Some(appointment));
        for damaged in ["", " ", "abc 10.0.0.1:7", &text[1..], &text.replace(':', ""), &text[..64]] {
            assert_eq!(Appointment::from_text(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn addresses_that_are_called_are_listened_at() {
        let addresses =
            |list: &[&str]| list.iter().map(|it| it.parse().expect("an address")).collect::<Vec<IpAddr>>();
        let both = of_one_family(addresses(&["10.0.0.1", "fd00::1"]));
        assert_eq!(both, (Ipv4Addr::UNSPECIFIED.into(), addresses(&["10.0.0.1"])));
        let six = addresses(&["fd00::1", "fd00::2"]);
        assert_eq!(of_one_family(six.clone()), (Ipv6Addr::UNSPECIFIED.into(), six));
    }

    #[test]
    fn agents_are_met_and_served_over_an_encrypted_channel() {
        let meeting = Meeting::open(true, None).expect("a port");
        let appointment = meeting.appointment.clone();
        let deadline = Instant::now() + Duration::from_secs(60);
        let agent = std::thread::spawn(move || call_and_serve(1, &appointment, deadline));
        let callers = meeting.wait(1..2, &Placement::on_this_machine(2), deadline, &|| None);
        let mut caller = callers.expect("the agent calls").pop().expect("one agent");
        let mut source = WatchedReader::new(caller.source, Some(Duration::from_secs(60)));
        let hello = read_frame::<FromAgent>(&mut source).expect("a frame").expect("not the end");
        assert_eq!(hello.0, FromAgent::Hello { address: Some(LOOPBACK) });
        // A frame that is longer than a record of TLS, and a message that an agent refuses now.
        write_frame(&mut *caller.sink, &ToAgent::Program, &vec![7; 100_000]).expect("it reads");
        let refused = loop {
            match read_frame::<FromAgent>(&mut source).expect("a frame").expect("not the end").0 {
                FromAgent::Heartbeat => {}
                other => break other,
            }
        };
        assert!(
            matches!(&refused, FromAgent::Failed(error) if error.contains("did not expect")),
            "{refused:?}"
        );
        drop(caller.sink);
        agent.join().expect("no panic").expect("an orderly end");
    }

    /// More than the port keeps, before the agent comes.
    #[test]
    fn strangers_at_the_port_do_not_keep_agents_out() {
        let meeting = Meeting::open(true, None).expect("a port");
        let appointment = meeting.appointment.clone();
        let deadline = Instant::now() + Duration::from_secs(60);
        std::thread::scope(|scope| {
            let waiting =
                scope.spawn(|| meeting.wait(1..2, &Placement::on_this_machine(2), deadline, &|| None));
            let connect = |number: u8| {
                let mut stream = TcpStream::connect(appointment.addresses[0]).expect("a connection");
                // Some say nothing, some a part of an answer, some noise.
                let _ = stream.write_all(&vec![number; usize::from(number) % 3 * 40]);
                stream
            };
            let strangers: Vec<TcpStream> = (0..200_u16).map(|number| connect(number as u8)).collect();
            let agent = scope.spawn(|| call_and_serve(1, &appointment, deadline));
            let callers = waiting.join().expect("no panic").expect("the agent calls");
            assert_eq!(callers.len(), 1);
            drop((callers, strangers));
            agent.join().expect("no panic").expect("an orderly end");
        });
    }

    #[test]
    fn strangers_are_not_met() {
        let meeting = Meeting::open(true, None).expect("a port");
        let stranger = Appointment { secret: Secret([1; 32]), ..meeting.appointment.clone() };
        let refused = std::thread::spawn(move || call_and_serve(1, &stranger, Instant::now()));
        let deadline = Instant::now() + Duration::from_secs(1);
        let error = meeting.wait(1..2, &Placement::on_this_machine(2), deadline, &|| None).err();
        assert!(error.expect("nothing comes").to_string().contains("place 1 has not connected"));
        refused.join().expect("no panic").expect_err("refused");
    }
}
