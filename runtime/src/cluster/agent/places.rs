//! The places of an agent's host: their processes, and input for place 0.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeWriter, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::base::output_lock;
use crate::base::place::{HostId, PlaceId};
use crate::cluster::agent::output::{Legacy, Relay};
use crate::cluster::agent::store::Store;
use crate::cluster::agent::{Launcher, Prepared};
use crate::cluster::control::{FromAgent, Start};
use crate::net::bootstrap::capacity;
use crate::net::bootstrap::connect::BootstrapInfo;
use crate::net::bootstrap::handshake::Secret;
use crate::net::bootstrap::launcher::{self, Processes};
use crate::net::placement::Placement;

/// The running places of this host.
pub(super) struct Places {
    processes: Arc<Processes>,
    /// Input of place 0, if it is here; an empty piece is the end.
    input: Option<Sender<Vec<u8>>>,
    /// Keeps the program in the cache while places may load it.
    _program: Store,
    /// The ends of the places' output pipes at which they write.
    _output: [PipeWriter; 2],
}

impl Places {
    /// Starts them.
    pub(super) fn start(start: Start, prepared: Prepared, launcher: Launcher) -> Result<Places, String> {
        let Prepared { address, listener, program } = prepared;
        let count = start.names.len();
        let hosts: Vec<HostId> = start.hosts.iter().copied().map(HostId).collect();
        if hosts.iter().any(|host| host.0 as usize >= count.max(1)) {
            return Err("a place is on a host that the launcher does not name".to_owned());
        }
        let placement = Placement::new(start.names.clone(), hosts);
        let own: Vec<PlaceId> = start.places.iter().copied().map(PlaceId).collect();
        if own.iter().any(|place| place.0 >= placement.places()) {
            return Err("the launcher does not say where one of its places is".to_owned());
        }
        let threads = match start.threads {
            0 => crate::scheduler::default_threads(),
            threads => threads,
        };
        capacity::check(own.len().max(1) as u32, threads)
            .map_err(|error| format!("cannot start {} places: {error}", own.len()))?;
        let cannot_relay = |error: io::Error| format!("cannot relay output: {error}");
        let (read_output, output) = io::pipe().map_err(cannot_relay)?;
        let (read_errors, errors) = io::pipe().map_err(cannot_relay)?;
        let mut builder = Builder {
            executable: std::env::current_exe()
                .map_err(|error| format!("cannot find apg itself: {error}"))?,
            program: program.path()?.to_owned(),
            start,
            placement,
            address,
            listener,
            input: None,
            output: [output, errors],
            output_lock: output_lock::offer().map_err(cannot_relay)?,
        };
        let mut commands = Vec::new();
        let mut legacies = Vec::new();
        for place in own {
            let (command, legacy) = builder
                .command(place)
                .map_err(|error| format!("cannot start {}: {error}", builder.placement.describe(place)))?;
            commands.push((place, command));
            legacies.push((place, legacy));
        }
        let input = builder.input.take();
        let (relay, ends) =
            Relay::new([read_output, read_errors], legacies, launcher.clone()).map_err(cannot_relay)?;
        let started: Arc<OnceLock<Arc<Processes>>> = Arc::default();
        let watched = Arc::clone(&started);
        std::thread::Builder::new()
            .name("apg-output".to_owned())
            .spawn(move || {
                // Without a launcher the places end, too.
                if relay.run().is_err()
                    && let Some(processes) = watched.get()
                {
                    processes.kill();
                }
            })
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        let on_end = move |place, status, _| ends.place_has_ended(place, status);
        let processes = Processes::start(commands, Box::new(on_end)).map_err(|error| error.to_string())?;
        started.get_or_init(|| Arc::clone(&processes));
        let input = input.map(|pipe| feed(pipe, launcher)).transpose();
        let input = input.map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(Places { processes, input, _program: program, _output: builder.output })
    }

    /// Passes input on, without waiting.
    pub(super) fn input(&self, bytes: Vec<u8>) {
        if let Some(sender) = &self.input {
            // A place that has closed its input takes no more.
            let _ = sender.send(bytes);
        }
    }

    /// Lets the places flush their output, and ends them; returns at once.
    pub(super) fn interrupt(&self) {
        self.in_background(|processes| processes.interrupt());
    }

    /// Ends the places that have not ended by themselves after a while; returns at once.
    pub(super) fn finish(&self, timeout: Duration) {
        self.in_background(move |processes| drop(processes.end(timeout)));
    }

    /// Ends the places now.
    pub(super) fn kill(&self) {
        self.processes.kill();
    }

    fn in_background(&self, work: impl FnOnce(&Processes) + Send + 'static) {
        let processes = Arc::clone(&self.processes);
        let thread = std::thread::Builder::new().name("apg-end".to_owned());
        if thread.spawn(move || work(&processes)).is_err() {
            // Without threads the places have no time to flush.
            self.kill();
        }
    }
}

/// Writes input to place 0 on a thread of its own, since the place need not read.
fn feed(mut pipe: PipeWriter, launcher: Launcher) -> io::Result<Sender<Vec<u8>>> {
    let (sender, pieces): (_, Receiver<Vec<u8>>) = channel();
    std::thread::Builder::new().name("apg-input".to_owned()).spawn(move || {
        for piece in pieces {
            if piece.is_empty() || pipe.write_all(&piece).is_err() {
                return;
            }
            if launcher.send(&FromAgent::InputTaken(piece.len() as u64), &[]).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// Makes the commands of places.
struct Builder {
    executable: PathBuf,
    program: PathBuf,
    start: Start,
    placement: Placement,
    address: std::net::IpAddr,
    listener: Option<TcpListener>,
    input: Option<PipeWriter>,
    output: [PipeWriter; 2],
    output_lock: i32,
}

impl Builder {
    /// The command of a place, and what it leaves behind.
    fn command(&mut self, place: PlaceId) -> io::Result<(Command, Legacy)> {
        let start = &self.start;
        let mut command = Command::new(&self.executable);
        command.arg(OsString::from_vec(start.command.clone())).arg(&self.program);
        command.args(start.options.iter().cloned().map(OsString::from_vec));
        for (name, value) in &start.variables {
            command.env(OsString::from_vec(name.clone()), OsString::from_vec(value.clone()));
        }
        let folder = PathBuf::from(OsString::from_vec(start.folder.clone()));
        if Path::is_dir(&folder) {
            command.current_dir(folder);
        }
        let [output, errors] = &self.output;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(errors.try_clone()?);
        let (farewell, write_farewell) = io::pipe()?;
        // A file without a name: nothing is left of it, however this process ends.
        let profile = start.is_profiled.then(tempfile::tempfile).transpose()?;
        let write_profile = profile.as_ref().map(File::try_clone).transpose()?;
        let listener = self.listener.take_if(|_| place == PlaceId(0));
        if place == PlaceId(0) {
            command.arg("--").args(&start.arguments);
            let (read_input, input) = io::pipe()?;
            command.stdin(read_input);
            self.input = Some(input);
        }
        let info = BootstrapInfo {
            place,
            placement: self.placement.clone(),
            leader: SocketAddr::from(start.leader),
            address: self.address,
            listener: listener.as_ref().map(AsRawFd::as_raw_fd),
            output_lock: Some(self.output_lock),
            farewell: Some(write_farewell.as_raw_fd()),
            profile: write_profile.as_ref().map(AsRawFd::as_raw_fd),
            secret: Secret(start.secret),
            encrypts: start.encrypts,
        };
        let mut inherited = vec![OwnedFd::from(write_farewell)];
        inherited.extend(listener.map(OwnedFd::from));
        inherited.extend(write_profile.map(OwnedFd::from));
        launcher::prepare(&mut command, &info, inherited)?;
        Ok((command, Legacy { farewell, profile }))
    }
}
