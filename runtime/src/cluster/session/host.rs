//! A host of a running program: its agent, and the messages to it.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use crate::base::output_errors;
use crate::cluster::channel::{Channel, Starter};
use crate::cluster::control::{FromAgent, ToAgent};
use crate::cluster::frames::{MAX_PAYLOAD, Source};
use crate::cluster::rendezvous::Caller;

/// The messages of an agent that has answered, and the address at which its host was reached.
pub(super) type Greeted = (Box<dyn Source>, Option<IpAddr>);

/// The agent of a host, as the launcher sees it.
pub(super) struct Host {
    /// The connection.
    pub channel: Arc<Channel>,
}

impl Host {
    /// A host whose agent does not run yet.
    pub(super) fn new(name: String) -> Host {
        Host { channel: Arc::new(Channel::new(name)) }
    }

    /// The name that the user gave.
    pub(super) fn name(&self) -> &str {
        &self.channel.name
    }

    /// Starts the agent by ssh, or directly if the host is this machine. Its messages, and the address at
    /// which ssh has reached it.
    ///
    /// # Errors
    /// Why it does not start, and what to do about it.
    pub(super) fn start(&self, starter: &Starter<'_>) -> Result<Greeted, String> {
        self.read_hello(Box::new(self.channel.connect(starter)?), starter)
    }

    /// Starts the agent on this machine, whatever the name of the host.
    ///
    /// # Errors
    /// Why it does not start.
    pub(super) fn start_here(&self, starter: &Starter<'_>) -> Result<Greeted, String> {
        self.read_hello(Box::new(self.channel.connect_here(starter)?), starter)
    }

    /// Uses an agent that runs already; `abandon` ends the connection with it.
    ///
    /// # Errors
    /// It does not go on.
    pub(super) fn attach(
        &self,
        caller: Caller,
        abandon: Box<dyn Fn() + Send>,
        starter: &Starter<'_>,
    ) -> Result<Greeted, String> {
        self.channel.attach(caller.sink, abandon);
        self.read_hello(caller.source, starter)
    }

    fn read_hello(&self, mut source: Box<dyn Source>, starter: &Starter<'_>) -> Result<Greeted, String> {
        match self.channel.first_message(&mut source, starter.deadline)? {
            FromAgent::Hello { address } => Ok((source, address)),
            _ => Err(format!("{}: its agent speaks another protocol", self.name())),
        }
    }

    /// Why its agent is lost, with its name.
    pub(super) fn describe_loss(&self, error: Option<&io::Error>) -> String {
        format!("{}: {}", self.name(), self.channel.describe_loss(error))
    }

    /// That its agent has sent what does not belong there.
    pub(super) fn out_of_order(&self) -> String {
        format!("{}: its agent has sent a message out of order", self.name())
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The agent has ended; its reader notices that too.
    pub(super) fn send(&self, message: &ToAgent, payload: &[u8]) -> io::Result<()> {
        self.channel.send(message, payload)
    }

    /// Sends a sign of life, unless something else is being sent.
    pub(super) fn beat(&self) {
        self.channel.beat(&ToAgent::Heartbeat);
    }

    /// Sends the program, whose end is an empty part.
    pub(super) fn send_program(&self, program: &[u8]) -> io::Result<()> {
        for part in program.chunks(MAX_PAYLOAD as usize) {
            self.send(&ToAgent::Program, part)?;
        }
        self.send(&ToAgent::Program, &[])
    }
}

/// Writes output of a place to this process's own; the error if that failed.
pub(super) fn write_output(stream: u8, bytes: &[u8]) -> io::Result<()> {
    let descriptor = if stream == 2 { libc::STDERR_FILENO } else { libc::STDOUT_FILENO };
    output_errors::write_fully(descriptor, bytes)
}
