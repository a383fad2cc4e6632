//! Service of one attached client: output from the journal on, input to the program, and how the job has
//! ended. It serves a supervisor's connections, and the agent itself for a job that has no supervisor any
//! more.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use apg_runtime::cluster::frames::{MAX_PAYLOAD, Source, WatchedReader, read_frame, write_frame};
use parking_lot::{Condvar, Mutex};

use crate::job::{End, JobFolder};
use crate::journal::{Journal, Record};
use crate::protocol::{
    From, FromRemote, HEARTBEAT_INTERVAL, INPUT_WINDOW, SILENCE_TIMEOUT, ToRemote, out_of_order,
};

/// A job as its clients see it.
pub(crate) struct Shared {
    pub folder: JobFolder,
    pub state: Mutex<State>,
    /// Notified of each change of the state.
    pub changed: Condvar,
}

/// The state of a job.
pub(crate) struct State {
    pub journal: Journal,
    /// How it has ended; all output is in the journal then.
    pub end: Option<End>,
    /// The number of the client that attached last; 0 for none.
    pub client: u64,
    /// Since when no client is attached.
    pub detached_since: Option<Instant>,
    /// Input that the program has not taken, in pieces; an empty one is the end.
    pub input: Vec<Vec<u8>>,
    /// Bytes of input that have arrived.
    pub input_arrived: u64,
    /// Bytes of input that the program has taken.
    pub input_taken: u64,
    /// Signals to send.
    pub signals: Vec<i32>,
    /// The client has given a sign of life, and waits for one.
    pub owes_heartbeat: bool,
    /// A client asks for the file that the job has made.
    pub wants_product: bool,
    /// A client has received everything.
    pub is_forgotten: bool,
    /// Since when the job is being ended, and why.
    pub stop: Option<(Instant, String)>,
    /// The end or output of the job could not be written to the disk.
    pub is_kept_in_memory: bool,
    /// Whether the job runs on without a client.
    pub is_kept: bool,
}

impl Shared {
    /// A job with this journal.
    pub(crate) fn new(folder: JobFolder, journal: Journal, end: Option<End>) -> Arc<Shared> {
        let state = State {
            journal,
            end,
            client: 0,
            detached_since: Some(Instant::now()),
            input: Vec::new(),
            input_arrived: 0,
            input_taken: 0,
            signals: Vec::new(),
            owes_heartbeat: false,
            wants_product: false,
            is_forgotten: false,
            stop: None,
            is_kept_in_memory: false,
            is_kept: false,
        };
        Arc::new(Shared { folder, state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Serves a client whose first message is on its way, until it detaches, is lost or superseded.
    ///
    /// # Errors
    /// The connection has failed, or the client does not keep to the protocol.
    pub(crate) fn serve(
        self: &Arc<Self>,
        input: impl Source + 'static,
        output: &mut dyn Write,
        close: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let mut input = WatchedReader::new(input, Some(SILENCE_TIMEOUT));
        let from = match read_frame(&mut input)? {
            Some((ToRemote::Attach { from, .. }, _)) => from,
            Some((ToRemote::Stop { .. }, _)) => return self.stop(output),
            Some((message, _)) => return Err(out_of_order(&message)),
            None => return Ok(()),
        };
        let (client, offset, arrived) = {
            let mut state = self.state.lock();
            state.client += 1;
            state.detached_since = None;
            // A client before may have been lost after its request.
            state.wants_product = false;
            let offset = match from {
                From::Start => 0,
                From::Acknowledged => state.journal.acknowledged(),
                From::Offset(offset) => offset,
            };
            (state.client, offset, state.input_arrived)
        };
        self.changed.notify_all();
        let reader = Arc::clone(self);
        std::thread::Builder::new().name("apg-client".to_owned()).spawn(move || {
            let result = reader.read(client, &mut input);
            if let Err(error) = &result {
                tracing::debug!(%error, "a client is lost");
            }
            reader.detach(client);
            // The writer may be in the middle of a write to a client that has gone.
            if result.is_err() {
                close();
            }
        })?;
        let result = write_frame(output, &FromRemote::Attached { input: arrived, offset }, &[])
            .and_then(|()| self.write(client, offset, output));
        self.detach(client);
        result
    }

    /// Ends the job for a client that is not attached.
    fn stop(&self, output: &mut dyn Write) -> io::Result<()> {
        let mut state = self.state.lock();
        state.stop.get_or_insert_with(|| (Instant::now(), "it was stopped (`apg stop`)".to_owned()));
        self.changed.notify_all();
        while state.end.is_none() {
            self.changed.wait(&mut state);
        }
        drop(state);
        write_frame(output, &FromRemote::Stopped, &[])
    }

    fn detach(&self, client: u64) {
        let mut state = self.state.lock();
        if state.client == client && state.detached_since.is_none() {
            state.detached_since = Some(Instant::now());
        }
        self.changed.notify_all();
    }

    /// Handles the messages of a client.
    fn read(&self, client: u64, input: &mut dyn Read) -> io::Result<()> {
        while let Some((message, payload)) = read_frame(input)? {
            let mut state = self.state.lock();
            if state.client != client {
                return Ok(());
            }
            match message {
                ToRemote::Heartbeat => state.owes_heartbeat = true,
                ToRemote::Input { offset } => state.take_input(offset, payload)?,
                ToRemote::Signal(signal) => state.signals.push(signal),
                ToRemote::Acknowledge(offset) => state.journal.acknowledge(offset),
                ToRemote::Forget if state.end.is_some() => state.is_forgotten = true,
                ToRemote::Fetch if state.end.is_some() => state.wants_product = true,
                message => return Err(out_of_order(&message)),
            }
            drop(state);
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Sends a client what there is from an offset on, until it is not attached any more.
    fn write(&self, client: u64, mut offset: u64, output: &mut dyn Write) -> io::Result<()> {
        let (mut taken, mut said_end, mut said_not_kept) = (0, false, false);
        let mut last = Instant::now();
        loop {
            let mut state = self.state.lock();
            if state.client != client {
                drop(state);
                return write_frame(output, &FromRemote::Superseded, &[]);
            }
            if state.detached_since.is_some() || state.is_forgotten {
                return Ok(());
            }
            let mut payload = Vec::new();
            let message = if state.input_taken > taken {
                taken = state.input_taken;
                Some(FromRemote::InputTaken(taken))
            } else if let Some(error) = state.journal.disk_error().filter(|_| !said_not_kept) {
                said_not_kept = true;
                Some(FromRemote::NotKept(error.to_owned()))
            } else if let Some(record) = state.journal.read(offset)? {
                let message = match record {
                    Record::Output { stream, data, end } => {
                        (offset, payload) = (end, data);
                        FromRemote::Output { stream, end }
                    }
                    Record::Gap { bytes, end } => {
                        offset = end;
                        FromRemote::Gap { bytes, end }
                    }
                };
                Some(message)
            } else if let Some(end) = state.end.clone().filter(|_| !said_end) {
                said_end = true;
                Some(FromRemote::Ended { status: end.status, reason: end.reason })
            } else if said_end && std::mem::take(&mut state.wants_product) {
                drop(state);
                send_product(&self.folder, output)?;
                continue;
            } else if std::mem::take(&mut state.owes_heartbeat) || last.elapsed() >= HEARTBEAT_INTERVAL {
                Some(FromRemote::Heartbeat)
            } else {
                let left = HEARTBEAT_INTERVAL.saturating_sub(last.elapsed()).max(Duration::from_millis(1));
                self.changed.wait_for(&mut state, left);
                None
            };
            drop(state);
            if let Some(message) = message {
                write_frame(output, &message, &payload)?;
                last = Instant::now();
            }
        }
    }
}

impl State {
    /// Whether output may not be dropped: a client is attached or expected back.
    pub(crate) fn must_keep_output(&self) -> bool {
        self.detached_since.is_none() || (!self.is_kept && self.stop.is_none())
    }

    /// Takes a piece of input, of which a part may have arrived over an earlier connection.
    fn take_input(&mut self, offset: u64, mut payload: Vec<u8>) -> io::Result<()> {
        let known = self.input_arrived.checked_sub(offset);
        let Some(known) = known.and_then(|it| usize::try_from(it).ok()) else {
            return Err(out_of_order(&ToRemote::Input { offset }));
        };
        if payload.is_empty() {
            self.input.push(payload);
            return Ok(());
        }
        payload.drain(..known.min(payload.len()));
        self.input_arrived += payload.len() as u64;
        if self.input_arrived - self.input_taken > 2 * INPUT_WINDOW {
            return Err(out_of_order(&ToRemote::Input { offset }));
        }
        if !payload.is_empty() {
            self.input.push(payload);
        }
        Ok(())
    }
}

/// Sends the file that a job has made.
fn send_product(folder: &JobFolder, output: &mut dyn Write) -> io::Result<()> {
    let mut file = match File::open(folder.product()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return write_frame(output, &FromRemote::NoProduct, &[]);
        }
        Err(error) => {
            let why = format!("the file that the job has made cannot be read: {error}");
            return write_frame(output, &FromRemote::Failed(why), &[]);
        }
    };
    let mut buffer = vec![0; (MAX_PAYLOAD / 4) as usize];
    loop {
        let count = file.read(&mut buffer)?;
        write_frame(output, &FromRemote::Product, &buffer[..count])?;
        if count == 0 {
            return Ok(());
        }
    }
}
