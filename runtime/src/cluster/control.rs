//! Messages between the launcher and the agent of a host, over the agent's standard input and output
//! ([`crate::cluster::frames`]).

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Interval of heartbeats.
pub(super) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// Input of the program that is on its way: more waits at the launcher, so that an agent's memory is bounded.
pub(super) const INPUT_WINDOW: u64 = 256 << 10;

/// A message to an agent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ToAgent {
    /// Prepare for the program; answered by [`FromAgent::Ready`] or [`FromAgent::Failed`].
    Prepare(Prepare),
    /// The payload is the next part of the program.
    Program,
    /// Start the places.
    Start(Start),
    /// The payload is input of place 0; empty at its end.
    Input,
    /// Let the places flush their output, then end them.
    Interrupt,
    /// The program has ended: wait for the places for this many seconds, then end them.
    Finish(u64),
    /// Start the agent of another host; answered by [`FromAgent::Connected`] or [`FromAgent::Unconnected`].
    Connect(Connect),
    /// The payload is for the agent with this number, which has been started so.
    Pass {
        /// The agent.
        number: u32,
    },
    /// There is no more for the agent with this number.
    Close {
        /// The agent.
        number: u32,
    },
    /// Say what time it is; answered by [`FromAgent::Time`].
    Time,
    /// The launcher lives.
    Heartbeat,
}

impl ToAgent {
    /// What it is, without what it says.
    pub(super) fn name(&self) -> &'static str {
        match self {
            ToAgent::Prepare(_) => "Prepare",
            ToAgent::Program => "Program",
            ToAgent::Start(_) => "Start",
            ToAgent::Input => "Input",
            ToAgent::Interrupt => "Interrupt",
            ToAgent::Finish(_) => "Finish",
            ToAgent::Connect(_) => "Connect",
            ToAgent::Pass { .. } => "Pass",
            ToAgent::Close { .. } => "Close",
            ToAgent::Time => "Time",
            ToAgent::Heartbeat => "Heartbeat",
        }
    }
}

/// What an agent needs to know first.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Prepare {
    /// The user's choice of an interface.
    pub interface: Option<String>,
    /// An address of another host, if there are several.
    pub toward: Option<IpAddr>,
    /// Whether place 0 is on this host.
    pub leads: bool,
    /// SHA-256 of the program.
    pub digest: [u8; 32],
    /// Seconds without a sign of life of the launcher after which the agent ends its places; 0 for none.
    pub silence: u64,
}

/// What an agent needs to start that of another host.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Connect {
    /// The launcher's number for it.
    pub number: u32,
    /// The host, for ssh.
    pub host: String,
    /// The words of the user's ssh command; none for the default.
    pub ssh: Vec<Vec<u8>>,
    /// Seconds that this may take.
    pub seconds: u64,
}

/// What an agent needs to start places.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Start {
    /// The places to start.
    pub places: Vec<u32>,
    /// The hosts' names.
    pub names: Vec<String>,
    /// The host of each place.
    pub hosts: Vec<u32>,
    /// Address of place 0.
    pub leader: (IpAddr, u16),
    /// Proof of belonging. The channel is a pipe or an encrypted connection.
    pub secret: [u8; 32],
    /// Whether connections between hosts are encrypted.
    pub encrypts: bool,
    /// First argument of a place.
    pub command: Vec<u8>,
    /// Arguments of a place behind the program's path.
    pub options: Vec<Vec<u8>>,
    /// Arguments of the program, for place 0.
    pub arguments: Vec<String>,
    /// Variables of the environment.
    pub variables: Vec<(Vec<u8>, Vec<u8>)>,
    /// The working folder, where the host has it.
    pub folder: Vec<u8>,
    /// Threads of a place that run activities; 0 for the default.
    pub threads: usize,
    /// Whether the places record a profile.
    pub is_profiled: bool,
}

/// A message of an agent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum FromAgent {
    /// First message.
    Hello {
        /// The address at which ssh has reached the host.
        address: Option<IpAddr>,
    },
    /// The places can be started.
    Ready {
        /// The address of the host for the other places.
        address: IpAddr,
        /// The port of place 0 if it is here.
        port: u16,
        /// Whether the program has to be sent first.
        needs_program: bool,
    },
    /// The places cannot be started or go on; why.
    Failed(String),
    /// The payload is output of places.
    Output {
        /// Standard output (1) or error (2).
        stream: u8,
    },
    /// The agent with this number runs.
    Connected {
        /// The agent.
        number: u32,
    },
    /// The agent with this number does not start; why.
    Unconnected {
        /// The agent.
        number: u32,
        /// Why, with the host's name.
        error: String,
    },
    /// The payload comes from the agent with this number.
    Passed {
        /// The agent.
        number: u32,
    },
    /// The agent with this number has taken these bytes.
    Taken {
        /// The agent.
        number: u32,
        /// How many.
        bytes: u64,
    },
    /// The agent with this number has ended.
    Closed {
        /// The agent.
        number: u32,
        /// What ssh has said of it, if anything.
        why: String,
    },
    /// The time in nanoseconds of the host's monotonic clock.
    Time(u64),
    /// The payload is the next part of a place's profile, whose parts come before the place's end.
    Profile {
        /// The place.
        place: u32,
    },
    /// A place has ended, and all its output was sent.
    Ended {
        /// The place.
        place: u32,
        /// Its wait status, as of `waitpid(2)`.
        status: i32,
        /// Whether it has said that it ends in order.
        in_order: bool,
    },
    /// Place 0 has taken this number of bytes of input.
    InputTaken(u64),
    /// The agent lives.
    Heartbeat,
}

#[cfg(test)]
mod tests {
    use std::io;

    use proptest::prelude::*;

    use super::*;
    use crate::cluster::frames::{MAX_PAYLOAD, WatchedReader, read_frame, write_frame};

    fn start() -> Start {
        Start {
            places: vec![1, 2],
            names: vec!["a".to_owned(), "b".to_owned()],
            hosts: vec![0, 1, 1],
            leader: ([10, 0, 0, 7].into(), 40123),
            secret: [7; 32],
            encrypts: true,
            command: b"__place".to_vec(),
            options: vec![b"--threads=2".to_vec()],
            arguments: vec!["x".to_owned()],
            variables: vec![(b"X10_LOG_LEVEL".to_vec(), b"DEBUG".to_vec())],
            folder: b"/tmp".to_vec(),
            threads: 2,
            is_profiled: true,
        }
    }

    #[test]
    fn frames_round_trip_and_damage_is_an_error() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &ToAgent::Start(start()), b"").expect("room");
        let first = bytes.len();
        write_frame(&mut bytes, &ToAgent::Program, b"\x7fELF").expect("room");
        let mut input = &bytes[..];
        assert_eq!(read_frame(&mut input).expect("a frame"), Some((ToAgent::Start(start()), vec![])));
        assert_eq!(read_frame(&mut input).expect("a frame"), Some((ToAgent::Program, b"\x7fELF".to_vec())));
        assert_eq!(read_frame::<ToAgent>(&mut input).expect("the end"), None);
        for length in 1..first {
            assert!(read_frame::<ToAgent>(&mut &bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn lengths_are_checked_before_memory_is_taken() {
        let mut huge = u32::MAX.to_le_bytes().to_vec();
        huge.extend([0; 100]);
        assert!(read_frame::<ToAgent>(&mut &huge[..]).is_err());
        let error = write_frame(&mut Vec::new(), &ToAgent::Input, &vec![0; MAX_PAYLOAD as usize + 1]);
        assert!(error.is_err());
    }

    #[test]
    fn silence_is_an_error_and_the_end_is_none() {
        let (reader, writer) = io::pipe().expect("a pipe");
        let mut watched = WatchedReader::new(reader, Some(Duration::from_millis(1)));
        let error = read_frame::<ToAgent>(&mut watched).expect_err("silence");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(writer);
        assert_eq!(read_frame::<ToAgent>(&mut watched).expect("the end"), None);
    }

    proptest! {
        /// Whatever comes, reading ends, and takes no more memory than what has come and a little.
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut input = &bytes[..];
            while let Ok(Some((_, payload))) = read_frame::<FromAgent>(&mut input) {
                prop_assert!(payload.len() <= bytes.len());
            }
        }

        /// A damaged byte of a message is refused, or gives another message.
        #[test]
        fn damaged_messages_do_not_panic(at in 8_usize..100, byte in any::<u8>()) {
            let mut bytes = Vec::new();
            write_frame(&mut bytes, &ToAgent::Start(start()), b"").expect("room");
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = read_frame::<ToAgent>(&mut &bytes[..]);
        }
    }
}
