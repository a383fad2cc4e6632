//! A tree of agents: above [`DEFAULT_FAN_OUT`] hosts the launcher starts the agents of as many hosts itself,
//! and these start the others, so that neither its connections nor the time of the start grow with the
//! number of hosts. Two levels reach as many hosts as a program has places. The messages of a host of the
//! second level pass the agent of the first one unread, within a window (as of TCP, RFC 9293, 3.8.6) that
//! bounds what waits there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::base::place::HostId;
use crate::base::plain_text::without_controls;
use crate::cluster::channel::Channel;
use crate::cluster::control::{Connect, FromAgent, ToAgent};
use crate::cluster::frames::{Source, read_frame, write_frame};
use crate::cluster::rendezvous::Caller;
use crate::cluster::ssh;

/// Environment variable with the number of hosts that the launcher reaches itself if there are more.
const FAN_OUT_VARIABLE: &str = "APG_AGENT_FAN_OUT";
/// The default of [`FAN_OUT_VARIABLE`].
const DEFAULT_FAN_OUT: usize = 32;
/// Bytes on their way to an agent of the second level.
const WINDOW: u64 = 1 << 20;
/// Bytes of one message to an agent of the first level.
const PIECE_SIZE: usize = 64 << 10;
/// How long an agent of the first level may take to reach another host; afterwards the launcher tries itself.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// The number of hosts that the launcher reaches itself.
///
/// # Errors
/// The variable is no such number.
pub(super) fn fan_out() -> Result<usize, String> {
    match std::env::var(FAN_OUT_VARIABLE) {
        Err(_) => Ok(DEFAULT_FAN_OUT),
        Ok(text) => match text.trim().parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("{FAN_OUT_VARIABLE} is `{text}`: write a number of hosts, at least 1")),
        },
    }
}

/// For each host, the host by way of which it is reached; none if the launcher reaches it itself.
pub(super) fn routes(names: &[String], fan_out: usize) -> Vec<Option<HostId>> {
    if names.len() <= fan_out {
        return vec![None; names.len()];
    }
    let mut first: Vec<HostId> = Vec::new();
    let mut below = 0;
    let route = |(host, name): (HostId, &String)| {
        // No other host reaches this machine by that name.
        if ssh::is_local(name) {
            return None;
        }
        if first.len() < fan_out {
            first.push(host);
            return None;
        }
        below += 1;
        Some(first[(below - 1) % first.len()])
    };
    (0..).map(HostId).zip(names).map(route).collect()
}

/// The hosts that are reached by way of one.
pub(super) struct Branch {
    /// The connection with its agent.
    channel: Arc<Channel>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    below: BTreeMap<u32, Below>,
    /// The connection with its agent has ended.
    has_ended: bool,
}

/// A host that is reached by way of another one.
struct Below {
    channel: Arc<Channel>,
    /// Where its messages go; none after their end.
    output: Option<Arc<PipeWriter>>,
    /// Whether its agent runs, once that is known.
    answer: Option<Result<(), String>>,
    /// Bytes on their way to it.
    in_flight: u64,
}

impl Branch {
    /// Takes over the messages of an agent: those of agents below it go to these, its own to the source that
    /// is returned.
    ///
    /// # Errors
    /// There is no pipe or thread.
    pub(super) fn begin(
        channel: &Arc<Channel>,
        messages: Box<dyn Source>,
    ) -> io::Result<(Arc<Branch>, PipeReader)> {
        let (reader, own) = io::pipe()?;
        let branch = Arc::new(Branch {
            channel: Arc::clone(channel),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let taken = Arc::clone(&branch);
        std::thread::Builder::new()
            .name("apg-branch".to_owned())
            .spawn(move || taken.distribute(messages, own))?;
        Ok((branch, reader))
    }

    /// Has the agent start that of another host, which its channel names; the connection with it.
    ///
    /// # Errors
    /// Why it does not.
    pub(super) fn connect(
        self: &Arc<Self>,
        host: HostId,
        channel: &Arc<Channel>,
        ssh: &[OsString],
        deadline: Instant,
    ) -> Result<Caller, String> {
        // The launcher needs time to try itself.
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = (left / 2).min(CONNECT_TIMEOUT);
        let (source, output) = io::pipe().map_err(|error| format!("there is no pipe: {error}"))?;
        let below = Below {
            channel: Arc::clone(channel),
            output: Some(Arc::new(output)),
            answer: None,
            in_flight: 0,
        };
        self.state.lock().below.insert(host.0, below);
        let connect = Connect {
            number: host.0,
            host: channel.name.clone(),
            ssh: ssh.iter().map(|word| word.as_bytes().to_vec()).collect(),
            seconds: timeout.as_secs().max(1),
        };
        let sent = self.channel.send(&ToAgent::Connect(connect), &[]).map_err(|error| error.to_string());
        let answered = sent.and_then(|()| self.wait_for_answer(host.0, Instant::now() + 2 * timeout));
        if let Err(error) = answered {
            self.state.lock().below.remove(&host.0);
            return Err(error);
        }
        let sink = Sink { branch: Arc::clone(self), number: host.0 };
        Ok(Caller { source: Box::new(source), sink: Box::new(sink) })
    }

    fn wait_for_answer(&self, number: u32, deadline: Instant) -> Result<(), String> {
        let mut state = self.state.lock();
        loop {
            if let Some(answer) = state.below.get_mut(&number).and_then(|below| below.answer.take()) {
                return answer;
            }
            if state.has_ended || self.changed.wait_until(&mut state, deadline).timed_out() {
                return Err("no answer".to_owned());
            }
        }
    }

    /// Gives up an agent over which nothing comes any more: nothing waits for it.
    pub(super) fn abandon(&self, host: HostId) {
        self.state.lock().below.remove(&host.0);
        self.changed.notify_all();
    }

    /// Distributes the messages of the agent until they end.
    fn distribute(&self, mut messages: Box<dyn Source>, mut own: PipeWriter) {
        while let Ok(Some((message, payload))) = read_frame::<FromAgent>(&mut messages) {
            match message {
                FromAgent::Connected { number } => self.change(number, |it| it.answer = Some(Ok(()))),
                FromAgent::Unconnected { number, error } => {
                    self.change(number, |it| it.answer = Some(Err(without_controls(&error))));
                }
                FromAgent::Taken { number, bytes } => {
                    self.change(number, |it| it.in_flight = it.in_flight.saturating_sub(bytes));
                }
                FromAgent::Closed { number, why } => {
                    let by_way = format!("by way of {}", self.channel.name);
                    let text = if why.is_empty() { by_way } else { format!("{by_way}: {why}") };
                    self.change(number, |it| it.close(&text));
                }
                FromAgent::Passed { number } => {
                    let output = self.state.lock().below.get(&number).and_then(|it| it.output.clone());
                    if let Some(output) = output {
                        // Without its reader the host is lost already.
                        let _ = (&*output).write_all(&payload);
                    }
                }
                message => {
                    if write_frame(&mut own, &message, &payload).is_err() {
                        break;
                    }
                }
            }
        }
        let name = &self.channel.name;
        let mut state = self.state.lock();
        state.has_ended = true;
        // First the agent's own loss, from which those of the others follow.
        drop(own);
        for below in state.below.values_mut() {
            below.close(&format!("by way of {name}, with which the connection has ended"));
        }
        self.changed.notify_all();
    }

    fn change(&self, number: u32, work: impl FnOnce(&mut Below)) {
        if let Some(below) = self.state.lock().below.get_mut(&number) {
            work(below);
        }
        self.changed.notify_all();
    }

    /// Waits until some bytes may be sent to an agent; how many of `wanted`.
    fn reserve(&self, number: u32, wanted: usize) -> io::Result<usize> {
        let mut state = self.state.lock();
        loop {
            let ended = state.has_ended;
            let Some(below) = state.below.get_mut(&number).filter(|it| it.output.is_some() && !ended) else {
                return Err(io::ErrorKind::BrokenPipe.into());
            };
            let room = usize::try_from(WINDOW.saturating_sub(below.in_flight)).unwrap_or(PIECE_SIZE);
            let count = wanted.min(room).min(PIECE_SIZE);
            if count > 0 {
                below.in_flight += count as u64;
                return Ok(count);
            }
            self.changed.wait(&mut state);
        }
    }
}

impl Below {
    /// Nothing more comes from it.
    fn close(&mut self, why: &str) {
        if self.output.take().is_some() {
            self.channel.set_last_words(why);
        }
    }
}

/// Messages to an agent that is reached by way of another one.
struct Sink {
    branch: Arc<Branch>,
    number: u32,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.branch.reserve(self.number, bytes.len())?;
        self.branch.channel.send(&ToAgent::Pass { number: self.number }, &bytes[..count])?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // If the other agent has ended, so has this one.
        let _ = self.branch.channel.send(&ToAgent::Close { number: self.number }, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_above_the_fan_out_are_reached_by_way_of_others() {
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let by = |host: u32| Some(HostId(host));
        assert_eq!(routes(&names("a b"), 2), [None, None]);
        assert_eq!(routes(&names("a b c d e"), 2), [None, None, by(0), by(1), by(0)]);
        let with_local = names("a localhost b c ::1 d");
        assert_eq!(routes(&with_local, 1), [None, None, by(0), by(0), None, by(0)]);
        let many: Vec<String> = (0..1024).map(|host| format!("h{host}")).collect();
        let routes = routes(&many, DEFAULT_FAN_OUT);
        let below = |parent: u32| routes.iter().filter(|route| **route == by(parent)).count();
        assert_eq!((0..32).map(below).collect::<Vec<_>>(), [31; 32]);
        assert!(routes[..32].iter().all(Option::is_none));
    }
}
