//! How the processes of a program find each other: place 0 listens on the loopback interface, the others are told its port
//! and a random token, and every connection begins with the token, so that no other process of the machine gets in.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::tcp::Tcp;

/// Random bytes that only the program's own processes know.
pub type Token = [u8; 32];

/// How long the places may take to come up.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a connection may take to say who it is.
const GREETING: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(50);

/// What place 0 tells the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The number of the place.
    pub place: u32,
    /// How many host places there are.
    pub hosts: u32,
    /// Port of place 0.
    pub port: u16,
    /// An open file that all places inherit, see [`super::output`].
    pub output_lock: i32,
    /// Proof of belonging.
    pub token: Token,
}

impl Invitation {
    /// As text, for an environment variable.
    pub fn encode(&self) -> String {
        let token: String = self.token.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}/{}/{}/{}/{token}", self.place, self.hosts, self.port, self.output_lock)
    }

    /// From text; `None` if it is not what [`Invitation::encode`] makes.
    pub fn decode(text: &str) -> Option<Invitation> {
        let mut parts = text.split('/');
        let (place, hosts, port) =
            (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let output_lock = parts.next()?.parse().ok()?;
        let digits = parts.next()?;
        if parts.next().is_some() || digits.len() != 64 || !digits.is_ascii() || place >= hosts {
            return None;
        }
        let mut token = [0; 32];
        for (index, byte) in token.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Invitation { place, hosts, port, output_lock, token })
    }
}

/// A token from the system's random source.
pub fn random_token() -> io::Result<Token> {
    let mut token = [0; 32];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut token)?;
    Ok(token)
}

/// What a connection says first: the token, who calls, where it listens itself, and which program it runs.
struct Greeting {
    place: u32,
    port: u16,
    identity: u64,
}

impl Greeting {
    fn send(&self, stream: &mut TcpStream, token: &Token) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(46);
        bytes.extend_from_slice(token);
        bytes.extend_from_slice(&self.place.to_le_bytes());
        bytes.extend_from_slice(&self.port.to_le_bytes());
        bytes.extend_from_slice(&self.identity.to_le_bytes());
        stream.write_all(&bytes)
    }

    /// `None` for a stranger.
    fn receive(stream: &mut TcpStream, token: &Token) -> Option<Greeting> {
        stream.set_nonblocking(false).ok()?;
        stream.set_read_timeout(Some(GREETING)).ok()?;
        let mut bytes = [0; 46];
        stream.read_exact(&mut bytes).ok()?;
        let same = bytes[..32].iter().zip(token).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0;
        let place = u32::from_le_bytes(bytes[32..36].try_into().ok()?);
        let port = u16::from_le_bytes(bytes[36..38].try_into().ok()?);
        let identity = u64::from_le_bytes(bytes[38..46].try_into().ok()?);
        same.then_some(Greeting { place, port, identity })
    }
}

fn failure(text: String) -> io::Error {
    io::Error::other(text)
}

/// Listens on a free port of the loopback interface.
pub fn listen() -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Accepts until every place in `expected` has called. `trouble` is asked now and then whether to give up.
fn accept(
    listener: &TcpListener,
    token: &Token,
    identity: u64,
    expected: std::ops::Range<u32>,
    trouble: &dyn Fn() -> Option<String>,
) -> io::Result<Vec<(u32, u16, TcpStream)>> {
    let deadline = Instant::now() + PATIENCE;
    let mut callers: Vec<(u32, u16, TcpStream)> = Vec::new();
    while callers.len() < expected.len() {
        match listener.accept() {
            Ok((mut stream, _)) => {
                let Some(greeting) = Greeting::receive(&mut stream, token) else { continue };
                let place = greeting.place;
                if greeting.identity != identity {
                    return Err(failure(format!(
                        "place {place} runs another program, or another version of it"
                    )));
                }
                if !expected.contains(&place) || callers.iter().any(|(other, ..)| *other == place) {
                    return Err(failure(format!("place {place} called twice, or was not called for")));
                }
                callers.push((place, greeting.port, stream));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if let Some(text) = trouble() {
                    return Err(failure(text));
                }
                if Instant::now() > deadline {
                    return Err(failure(format!(
                        "only {} of {} places came up within {} seconds",
                        callers.len(),
                        expected.len(),
                        PATIENCE.as_secs()
                    )));
                }
                wait_for(listener);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    callers.sort_by_key(|(place, ..)| *place);
    Ok(callers)
}

/// Sleeps until somebody calls, but not long.
fn wait_for(listener: &TcpListener) {
    use std::os::fd::AsRawFd;
    let mut poll = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid entry. Any outcome is fine: the caller tries again.
    unsafe { libc::poll(&mut poll, 1, POLL.as_millis() as libc::c_int) };
}

/// Place 0: waits for all others and tells each where the rest are.
pub fn host(
    listener: TcpListener,
    token: &Token,
    identity: u64,
    hosts: u32,
    trouble: &dyn Fn() -> Option<String>,
) -> io::Result<Tcp> {
    let callers = accept(&listener, token, identity, 1..hosts, trouble)?;
    let mut ports = vec![0, 0];
    for (_, port, _) in &callers {
        ports.extend_from_slice(&port.to_le_bytes());
    }
    let mut streams = vec![None];
    for (_, _, mut stream) in callers {
        stream.write_all(&ports)?;
        streams.push(Some(stream));
    }
    for (place, stream) in streams.iter_mut().enumerate() {
        let Some(stream) = stream else { continue };
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut ready = [0];
        stream.read_exact(&mut ready).map_err(|error| {
            failure(trouble().unwrap_or_else(|| format!("place {place} did not come up: {error}")))
        })?;
    }
    Tcp::new(0, streams)
}

/// Any other place: calls place 0, then connects with the rest.
pub fn join(invitation: &Invitation, identity: u64) -> io::Result<Tcp> {
    let Invitation { place, hosts, port, token, .. } = invitation;
    let listener = listen()?;
    let greeting = Greeting { place: *place, port: listener.local_addr()?.port(), identity };
    let connect = |port: u16| -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        greeting.send(&mut stream, token)?;
        Ok(stream)
    };
    let mut zero = connect(*port)?;
    zero.set_read_timeout(Some(PATIENCE))?;
    let mut ports = vec![0; 2 * *hosts as usize];
    zero.read_exact(&mut ports)?;
    let mut streams: Vec<Option<TcpStream>> = Vec::new();
    for other in ports.chunks_exact(2).take(*place as usize).skip(1) {
        streams.push(Some(connect(u16::from_le_bytes([other[0], other[1]]))?));
    }
    for (_, _, stream) in accept(&listener, token, identity, *place + 1..*hosts, &|| None)? {
        streams.push(Some(stream));
    }
    zero.write_all(&[1])?;
    streams.insert(0, Some(zero));
    streams.insert(*place as usize, None);
    Tcp::new(*place, streams)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_comes_back_as_it_went() {
        let invitation = Invitation { place: 2, hosts: 4, port: 12345, output_lock: 5, token: [0xa5; 32] };
        assert_eq!(Invitation::decode(&invitation.encode()), Some(invitation));
    }

    #[test]
    fn other_text_is_no_invitation() {
        let token = "00".repeat(32);
        for text in
            ["", "1", "1/2/3/4", "1/2/3/4/zz", &format!("4/4/3/5/{token}"), &format!("1/2/3/5/{token}/5")]
        {
            assert_eq!(Invitation::decode(text), None, "{text}");
        }
    }

    #[test]
    fn strangers_are_turned_away_and_friends_get_in() {
        let listener = listen().expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let token = random_token().expect("random bytes");
        let friend = std::thread::spawn(move || {
            let mut stranger = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connection");
            Greeting { place: 1, port: 1, identity: 7 }.send(&mut stranger, &[0; 32]).expect("greeting");
            let invitation = Invitation { place: 1, hosts: 2, port, output_lock: 5, token };
            join(&invitation, 7).map(|_| ())
        });
        assert!(host(listener, &token, 7, 2, &|| None).is_ok());
        assert!(friend.join().expect("no panic").is_ok());
    }

    #[test]
    fn another_program_is_refused() {
        let listener = listen().expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let token = [3; 32];
        let other = std::thread::spawn(move || {
            join(&Invitation { place: 1, hosts: 2, port, output_lock: 5, token }, 8).is_err()
        });
        let error = host(listener, &token, 7, 2, &|| None).err().expect("refused");
        assert!(error.to_string().contains("place 1 runs another program"), "{error}");
        assert!(other.join().expect("no panic"));
    }
}
