//! Agents of further hosts, which this agent starts by ssh for the launcher and whose messages it passes on,
//! both ways and unread: above a number of hosts a launcher reaches them by a tree
//! ([`crate::cluster::session`]).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::process::ChildStdout;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::cluster::agent::{COMMAND, Launcher};
use crate::cluster::channel::{Channel, Starter};
use crate::cluster::control::{Connect, FromAgent};
use crate::cluster::identity;

/// Bytes of one read.
const PIECE_SIZE: usize = 64 << 10;
/// How long the agents may take to end their places and themselves.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// The agents that this one has started.
pub(super) struct Subtree {
    launcher: Launcher,
    /// All connections that were begun.
    channels: Vec<Arc<Channel>>,
    /// What is to be passed on to the agents that have answered, by the launcher's numbers for them. The
    /// launcher limits how much is on its way.
    inputs: Arc<Mutex<BTreeMap<u32, Sender<Vec<u8>>>>>,
}

impl Subtree {
    /// No agent.
    pub(super) fn new(launcher: Launcher) -> Subtree {
        Subtree { launcher, channels: Vec::new(), inputs: Arc::default() }
    }

    /// Starts the agent of a host; the launcher hears how that has ended.
    pub(super) fn connect(&mut self, connect: Connect) -> Result<(), String> {
        let channel = Arc::new(Channel::new(connect.host.clone()));
        self.channels.push(Arc::clone(&channel));
        let (launcher, inputs) = (self.launcher.clone(), Arc::clone(&self.inputs));
        let work = move || {
            let number = connect.number;
            let started = start(&channel, connect);
            // The reader of the launcher's messages notices that it has gone.
            let _ = match started {
                Err(error) => launcher.send(&FromAgent::Unconnected { number, error }, &[]),
                Ok(output) => pass_on(number, &channel, output, &launcher, &inputs),
            };
        };
        let thread = std::thread::Builder::new().name("apg-below".to_owned()).spawn(work);
        thread.map(drop).map_err(|error| format!("cannot start a thread: {error}"))
    }

    /// Passes bytes on to an agent. After its end it takes no more.
    pub(super) fn pass(&self, number: u32, bytes: Vec<u8>) {
        if let Some(input) = self.inputs.lock().get(&number) {
            let _ = input.send(bytes);
        }
    }

    /// There is no more for an agent, which ends it.
    pub(super) fn close(&self, number: u32) {
        self.inputs.lock().remove(&number);
    }

    /// Ends all agents, and waits until they have ended.
    pub(super) fn end(&self) {
        self.inputs.lock().clear();
        self.channels.iter().for_each(|channel| channel.close());
        let deadline = Instant::now() + END_TIMEOUT;
        self.channels.iter().for_each(|channel| channel.reap(deadline));
    }
}

/// Starts an agent; its messages.
fn start(channel: &Channel, connect: Connect) -> Result<ChildStdout, String> {
    let cannot = |error: io::Error| format!("{}: cannot find apg itself: {error}", connect.host);
    let ssh: Vec<OsString> = connect.ssh.into_iter().map(OsString::from_vec).collect();
    channel.connect(&Starter {
        command: COMMAND,
        ssh: &ssh,
        options: &[],
        folder: None,
        executable: &std::env::current_exe().map_err(cannot)?,
        identity: &identity::of_this_executable().map_err(cannot)?,
        deadline: Instant::now() + Duration::from_secs(connect.seconds),
        similar: None,
        installing: &|| {},
    })
}

/// Passes the messages of an agent on, and starts the thread for those to it.
fn pass_on(
    number: u32,
    channel: &Arc<Channel>,
    mut output: ChildStdout,
    launcher: &Launcher,
    inputs: &Mutex<BTreeMap<u32, Sender<Vec<u8>>>>,
) -> io::Result<()> {
    let (sender, pieces) = std::sync::mpsc::channel();
    inputs.lock().insert(number, sender);
    let (writer, to_launcher) = (Arc::clone(channel), launcher.clone());
    std::thread::Builder::new()
        .name("apg-to-below".to_owned())
        .spawn(move || write_all(number, &writer, pieces, &to_launcher))?;
    launcher.send(&FromAgent::Connected { number }, &[])?;
    let mut buffer = vec![0; PIECE_SIZE];
    loop {
        match output.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => launcher.send(&FromAgent::Passed { number }, &buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    inputs.lock().remove(&number);
    let why = channel.last_words();
    launcher.send(&FromAgent::Closed { number, why }, &[])
}

/// Writes what is for an agent, and closes its input at the end.
fn write_all(number: u32, channel: &Channel, pieces: Receiver<Vec<u8>>, launcher: &Launcher) {
    for piece in pieces {
        if channel.write(&piece).is_err() {
            break;
        }
        let taken = FromAgent::Taken { number, bytes: piece.len() as u64 };
        if launcher.send(&taken, &[]).is_err() {
            break;
        }
    }
    channel.close();
}
