//! A connection with the agent of a remote machine: ssh, the greeting, and the first request.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::ChildStdout;
use std::sync::Arc;
use std::time::Instant;

use apg_runtime::cluster::channel::{Channel, Starter};
use apg_runtime::cluster::frames::{WatchedReader, read_frame};
use apg_runtime::cluster::identity::hexadecimal;
use sha2::{Digest, Sha256};

use super::{Client, State};
use crate::protocol::{FromRemote, HEARTBEAT_INTERVAL, PROTOCOL, SILENCE_TIMEOUT, ToRemote};
use crate::{agent, folder};

/// Maximum length of a control socket's path; ssh adds 17 characters to it, and addresses have 108.
const MAX_CONTROL_PATH_BYTES: usize = 88;
/// Seconds for which a connection is kept for further commands.
const PERSISTENCE_SECONDS: u32 = 60;

/// A connection.
pub(super) struct Connection {
    /// Messages to the agent.
    pub channel: Arc<Channel>,
    /// Messages of the agent.
    pub messages: WatchedReader<ChildStdout>,
}

impl Connection {
    /// The next message.
    ///
    /// # Errors
    /// The connection has ended, in words.
    pub(super) fn receive(&mut self) -> Result<(FromRemote, Vec<u8>), String> {
        let name = &self.channel.name;
        match read_frame(&mut self.messages) {
            Ok(Some(message)) => Ok(message),
            Ok(None) => Err(format!("{name}: {}", self.channel.describe_loss(None))),
            Err(error) => Err(format!("{name}: {}", self.channel.describe_loss(Some(&error)))),
        }
    }

    /// An error for a message that does not belong here.
    pub(super) fn unexpected(&self, message: &FromRemote) -> String {
        format!("{}: {}", self.channel.name, crate::protocol::out_of_order(message))
    }
}

impl Drop for Connection {
    /// The agent ends with the connection; what was written before still arrives.
    fn drop(&mut self) {
        self.channel.close();
    }
}

/// The path of the socket by which connections to a machine share one; none where there is no private folder.
pub(super) fn control_path(ssh: &[OsString], destination: &str, port: Option<u16>) -> Option<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let candidates = [runtime.map(|path| path.join("apg")), Some(PathBuf::from(format!("/tmp/apg-{user}")))];
    let is_private = |path: &PathBuf| {
        // A link could be another user's.
        folder::create(path).is_ok()
            && fs::symlink_metadata(path)
                .is_ok_and(|it| it.is_dir() && it.uid() == user && it.mode() & 0o077 == 0)
    };
    let folder = candidates.into_iter().flatten().find(is_private)?;
    let mut hash = Sha256::new();
    for word in ssh {
        hash.update(word.as_encoded_bytes());
        hash.update([0]);
    }
    hash.update(destination);
    hash.update(port.unwrap_or(0).to_le_bytes());
    let path = folder.join(&hexadecimal(&hash.finalize())[..16]);
    (path.as_os_str().len() <= MAX_CONTROL_PATH_BYTES).then_some(path)
}

impl Client<'_> {
    /// Options of ssh for a connection, which may share an existing one.
    fn ssh_options(&self, shared: bool) -> Vec<OsString> {
        let mut options = self.options.clone();
        let mut add = |option: String| options.extend([OsString::from("-o"), option.into()]);
        let count = SILENCE_TIMEOUT.as_secs() / HEARTBEAT_INTERVAL.as_secs();
        add(format!("ServerAliveInterval={}", HEARTBEAT_INTERVAL.as_secs()));
        add(format!("ServerAliveCountMax={count}"));
        match &self.control_path {
            Some(path) if shared => {
                add("ControlMaster=auto".to_owned());
                add(format!("ControlPersist={PERSISTENCE_SECONDS}"));
                add(format!("ControlPath={}", path.display()));
            }
            _ => {
                add("ControlMaster=no".to_owned());
                add("ControlPath=none".to_owned());
            }
        }
        options
    }

    /// Connects, and sends the first request. `connecting` gets the channel before ssh has connected.
    ///
    /// # Errors
    /// Why there is no connection, in words.
    pub(super) fn connect(
        &self,
        deadline: Instant,
        shared: bool,
        connecting: &mut dyn FnMut(&Arc<Channel>),
        request: &ToRemote,
    ) -> Result<Connection, String> {
        let (channel, output) = self.greet(deadline, shared, connecting)?;
        self.begin(channel, output, deadline, request)
    }

    /// Connects, and sends the first message; the agent runs then.
    ///
    /// # Errors
    /// Why there is no connection, in words.
    pub(super) fn greet(
        &self,
        deadline: Instant,
        shared: bool,
        connecting: &mut dyn FnMut(&Arc<Channel>),
    ) -> Result<(Arc<Channel>, ChildStdout), String> {
        let channel = Arc::new(Channel::new(self.destination.clone()));
        connecting(&channel);
        let installing = || self.observer.state(&State::Installing);
        let starter = Starter {
            command: agent::COMMAND,
            ssh: &self.ssh,
            options: &self.ssh_options(shared),
            folder: self.remote.agent_dir.as_deref(),
            executable: &self.executable,
            identity: &self.identity,
            deadline,
            similar: self.remote.similar.as_deref(),
            installing: &installing,
        };
        let output = channel.connect(&starter)?;
        // At once: the agent waits for it only for a short time.
        let sent = channel.send(&ToRemote::Hello { protocol: PROTOCOL }, &[]);
        sent.map_err(|error| format!("{}: {error}", channel.name))?;
        Ok((channel, output))
    }

    /// Sends the first request without waiting for the agent's first message.
    ///
    /// # Errors
    /// The connection has ended, or the agent is of another version, in words.
    pub(super) fn begin(
        &self,
        channel: Arc<Channel>,
        mut output: ChildStdout,
        deadline: Instant,
        request: &ToRemote,
    ) -> Result<Connection, String> {
        channel.send(request, &[]).map_err(|error| format!("{}: {error}", channel.name))?;
        let name = &channel.name;
        match channel.first_message(&mut output, deadline)? {
            FromRemote::Hello { protocol: PROTOCOL, .. } => {}
            FromRemote::Failed(why) => return Err(format!("{name}: {why}")),
            _ => return Err(format!("{name}: its agent speaks another protocol")),
        }
        Ok(Connection { channel, messages: WatchedReader::new(output, Some(SILENCE_TIMEOUT)) })
    }

    /// The connection that others share may be dead: none of them uses it any more.
    pub(super) fn forget_shared_connection(&self) {
        if let Some(path) = &self.control_path {
            let _ = fs::remove_file(path);
        }
    }
}
