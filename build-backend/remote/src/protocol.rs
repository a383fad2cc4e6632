//! Messages between a client and a remote machine: its agent, and behind it the supervisor of a job. Framing
//! is that of [`apg_runtime::cluster::frames`].
//!
//! A client begins with [`ToRemote::Hello`] and one request, without waiting. After [`ToRemote::Submit`] or
//! [`ToRemote::Attach`] the agent passes all further frames on to the job's supervisor, and back.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Version of the messages. Both ends are of one build, so that it differs only where copies were mixed up.
pub const PROTOCOL: u32 = 3;
/// Interval of heartbeats in both directions.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Silence after which the other end is lost: three heartbeats.
pub const SILENCE_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum number of bytes of input that are on their way to the program.
pub const INPUT_WINDOW: u64 = 256 << 10;
/// The stream of the build's progress: lines, of which the last one counts; an empty one at the end.
pub const PROGRESS_STREAM: u8 = 3;
/// Maximum number of files of a program.
pub const MAX_FILES: usize = 1 << 16;
/// Maximum number of bytes of all files of a program.
pub const MAX_TREE_BYTES: u64 = 2 << 30;

/// A file of a program: where it is in the program's tree, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path below the tree's root, of plain components.
    pub path: String,
    /// SHA-256 of the content.
    pub digest: [u8; 32],
    /// Bytes of the content.
    pub length: u64,
}

/// What to run on the remote machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The name of the program, of which the job's name begins.
    pub name: String,
    /// The files that it needs.
    pub files: Vec<FileEntry>,
    /// The folder below the tree's root in which `apg` starts.
    pub start_folder: String,
    /// The folder in which the program runs, where the machine has it; else the home folder.
    pub run_folder: Vec<u8>,
    /// Words in front of the command, such as those of `srun`.
    pub launcher: Vec<String>,
    /// The arguments of `apg`.
    pub arguments: Vec<String>,
    /// Variables of the environment.
    pub variables: Vec<(Vec<u8>, Vec<u8>)>,
    /// The language of which the machine needs a compiler for it.
    pub needs_compiler: Option<CompilerLanguage>,
    /// The file that it makes, which is fetched afterwards.
    pub product: Option<Product>,
    /// Whether it has standard input.
    pub has_input: bool,
    /// What happens to it while no client is attached.
    pub detached: Detached,
}

/// A language of which a job needs a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompilerLanguage {
    /// C, with OpenMP.
    C,
    /// C++.
    Cpp,
}

/// A file that a job makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// The index of the argument that names it: the job's own file stands there in its place.
    pub argument: u32,
    /// What it is.
    pub kind: ProductKind,
}

/// What a file that a job makes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProductKind {
    /// A program: a job that has succeeded has made one.
    Program,
    /// A profile: a job whose program has run has made one, however the program has ended.
    Profile,
}

/// What happens to a job while no client is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Detached {
    /// It runs on.
    Keep,
    /// It ends after this number of seconds.
    End(u64),
}

/// Where the output of an attached job begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum From {
    /// At the beginning.
    Start,
    /// Behind what clients have acknowledged.
    Acknowledged,
    /// At an offset of [`FromRemote::Output`].
    Offset(u64),
}

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToRemote {
    /// First message.
    Hello {
        /// [`PROTOCOL`] of the client.
        protocol: u32,
    },
    /// Run a job; answered by [`FromRemote::Missing`], [`FromRemote::NoCompiler`] or [`FromRemote::Started`].
    Submit(Job),
    /// The payload is a part of the missing files, one after the other as one zstd stream; empty at its end.
    Files,
    /// Attach to a job; answered by [`FromRemote::Attached`].
    Attach {
        /// The job's name.
        job: String,
        /// Where its output begins.
        from: From,
    },
    /// List the jobs; answered by [`FromRemote::Jobs`].
    List,
    /// End a job; answered by [`FromRemote::Stopped`].
    Stop {
        /// The job's name.
        job: String,
    },
    /// The payload is input of the program; empty at its end.
    Input {
        /// Number of bytes of input before it.
        offset: u64,
    },
    /// Send this signal to the processes of the job.
    Signal(i32),
    /// Output up to this offset was printed.
    Acknowledge(u64),
    /// Send the file that the job has made; answered by [`FromRemote::Product`].
    Fetch,
    /// All of an ended job was received: it can be removed.
    Forget,
    /// The client lives.
    Heartbeat,
}

/// A message of a remote machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromRemote {
    /// First message.
    Hello {
        /// [`PROTOCOL`] of the agent.
        protocol: u32,
        /// The machine's own name.
        host: String,
    },
    /// The files of these indices are to be sent.
    Missing(Vec<u32>),
    /// The job needs a compiler, and there is none; why.
    NoCompiler(String),
    /// The job runs.
    Started {
        /// Its name.
        job: String,
    },
    /// The client is attached.
    Attached {
        /// Bytes of input that have arrived before.
        input: u64,
        /// The offset at which output begins.
        offset: u64,
    },
    /// The payload is output.
    Output {
        /// Standard output (1), standard error (2), or [`PROGRESS_STREAM`].
        stream: u8,
        /// The offset behind it.
        end: u64,
    },
    /// This number of bytes of output is not kept any more.
    Gap {
        /// Bytes.
        bytes: u64,
        /// The offset behind them.
        end: u64,
    },
    /// Output is not kept on the disk from now on; why.
    NotKept(String),
    /// The program has taken this number of bytes of input in all.
    InputTaken(u64),
    /// The job has ended, and all its output was sent.
    Ended {
        /// Its exit status as of a shell.
        status: i32,
        /// Why, if it was not the program's own end.
        reason: Option<String>,
    },
    /// The payload is a part of the file that the job has made; empty at its end.
    Product,
    /// The job has made no file.
    NoProduct,
    /// Another client has attached.
    Superseded,
    /// The jobs.
    Jobs(Vec<JobState>),
    /// The job has ended now or before.
    Stopped,
    /// There is no job of the name that was requested.
    NoJob {
        /// The name of a job that may be meant.
        similar: Option<String>,
    },
    /// What was requested cannot be done; why.
    Failed(String),
    /// The other end lives.
    Heartbeat,
}

/// A job in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobState {
    /// Its name.
    pub name: String,
    /// What it runs.
    pub command: String,
    /// The machine on which it runs: several may share a home folder.
    pub host: String,
    /// When it was started, in seconds since 1970.
    pub started: u64,
    /// Bytes of output that are kept.
    pub output: u64,
    /// How it goes.
    pub phase: Phase,
}

/// How a job goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// It runs; whether a client is attached is not known.
    Running,
    /// It has ended with this exit status.
    Ended(i32),
    /// Its supervisor has ended before it, or the machine.
    Lost,
}

/// An error of a peer that does not keep to the protocol.
pub(crate) fn out_of_order(message: &dyn std::fmt::Debug) -> io::Error {
    let mut text = format!("{message:?}");
    if let Some((end, _)) = text.char_indices().nth(80) {
        text.truncate(end);
    }
    io::Error::new(io::ErrorKind::InvalidData, format!("a message out of order: {text}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use apg_runtime::cluster::frames::{read_frame, write_frame};

    use super::*;

    fn job() -> Job {
        Job {
            name: "sums".to_owned(),
            files: vec![FileEntry { path: "a/Sums.x10".to_owned(), digest: [7; 32], length: 9 }],
            start_folder: "a".to_owned(),
            run_folder: b"/home/me".to_vec(),
            launcher: Vec::new(),
            arguments: ["run", "Sums.x10"].map(str::to_owned).to_vec(),
            variables: vec![(b"X10_NPLACES".to_vec(), b"4".to_vec())],
            needs_compiler: Some(CompilerLanguage::Cpp),
            product: Some(Product { argument: 1, kind: ProductKind::Profile }),
            has_input: true,
            detached: Detached::End(60),
        }
    }

    #[test]
    fn messages_round_trip() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &ToRemote::Submit(job()), b"").expect("room");
        write_frame(&mut bytes, &ToRemote::Input { offset: 7 }, b"text").expect("room");
        let mut input = &bytes[..];
        assert_eq!(read_frame(&mut input).expect("a frame"), Some((ToRemote::Submit(job()), vec![])));
        let second = read_frame(&mut input).expect("a frame");
        assert_eq!(second, Some((ToRemote::Input { offset: 7 }, b"text".to_vec())));
    }

    proptest! {
        /// A damaged byte of a message is refused, or gives another message.
        #[test]
        fn damaged_messages_do_not_panic(at in 0_usize..1000, byte in any::<u8>()) {
            let mut bytes = Vec::new();
            write_frame(&mut bytes, &ToRemote::Submit(job()), b"").expect("room");
            let at = at % bytes.len();
            bytes[at] = byte;
            crate::fuzzing::read_frames(&bytes);
        }
    }
}
