//! The agent of a host: starts the host's places, relays their input and output, and ends them when the
//! launcher does.
//!
//! It is this executable in another mode ([`COMMAND`]), which the launcher starts directly on its own
//! machine and by ssh elsewhere. It listens on no port: all it hears comes over its standard input, and the
//! end of that ends the places. The kernel ends them if the agent itself is killed. Agents of other hosts
//! that it has started ([`subtree`]) end with it, too.

mod output;
mod places;
mod store;
mod subtree;

use std::fs::File;
use std::io::{self, Write};
use std::net::{IpAddr, TcpListener};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::cluster::control::{FromAgent, HEARTBEAT_INTERVAL, Prepare, ToAgent};
use crate::cluster::frames::{Source, WatchedReader, marker, read_frame, write_frame};
use crate::cluster::{identity, interface};
use crate::net::bootstrap::connect;
use crate::profile;
use places::Places;
use store::Store;
use subtree::Subtree;

/// First argument of an agent's process.
pub const COMMAND: &str = "__agent";
/// First argument of a process that ends with status 0 if its identity is the second one.
pub const IDENTITY_COMMAND: &str = "__agent-identity";

/// Time in which a launcher says how long it may be silent.
const FIRST_MESSAGE_TIMEOUT: Duration = Duration::from_secs(60);

/// The end of the control channel at which an agent writes.
#[derive(Clone)]
struct Launcher(Arc<Mutex<Box<dyn Write + Send>>>);

impl Launcher {
    fn send(&self, message: &FromAgent, payload: &[u8]) -> io::Result<()> {
        write_frame(&mut **self.0.lock(), message, payload)
    }
}

/// Whether this executable has the identity; the exit status for [`IDENTITY_COMMAND`].
pub fn compare_identity(expected: &str) -> u8 {
    u8::from(identity::of_this_executable().is_ok_and(|own| own != expected))
}

/// Runs the agent until the launcher closes the channel or falls silent, and ends what is left of its places.
///
/// # Errors
/// The channel has failed.
pub fn run() -> io::Result<()> {
    let own = identity::of_this_executable()?;
    let mut stdout = io::stdout();
    // On a line of its own, whatever a login script has left.
    write!(stdout, "\n{}ready\n", marker(&own))?;
    stdout.flush()?;
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let input = WatchedReader::new(File::from(stdin), Some(FIRST_MESSAGE_TIMEOUT));
    serve(input, Box::new(stdout), interface::reached_by_ssh())
}

/// Runs the agent over a connection with a launcher, which reaches this host at `address`.
pub(super) fn serve(
    mut input: WatchedReader<impl Source>,
    output: Box<dyn Write + Send>,
    address: Option<IpAddr>,
) -> io::Result<()> {
    let launcher = Launcher(Arc::new(Mutex::new(output)));
    launcher.send(&FromAgent::Hello { address }, &[])?;
    let heart = launcher.clone();
    std::thread::Builder::new().name("apg-heartbeat".to_owned()).spawn(move || {
        while heart.send(&FromAgent::Heartbeat, &[]).is_ok() {
            std::thread::sleep(HEARTBEAT_INTERVAL);
        }
    })?;
    let subtree = Subtree::new(launcher.clone());
    let mut agent = Agent { launcher, address, prepared: None, places: None, subtree };
    let result = agent.serve(&mut input);
    if let Some(places) = &agent.places {
        places.kill();
    }
    agent.subtree.end();
    result
}

struct Agent {
    launcher: Launcher,
    /// The address at which the launcher reaches this host.
    address: Option<IpAddr>,
    prepared: Option<Prepared>,
    places: Option<Places>,
    /// Agents of other hosts, which this one has started.
    subtree: Subtree,
}

/// What an agent has ready for its places.
struct Prepared {
    address: IpAddr,
    /// Of place 0, if it is here.
    listener: Option<TcpListener>,
    program: Store,
}

impl Agent {
    /// Does what the launcher says, until it ends.
    fn serve(&mut self, input: &mut WatchedReader<impl Source>) -> io::Result<()> {
        while let Some((message, payload)) = read_frame(input)? {
            if let ToAgent::Prepare(prepare) = &message {
                input.silence = Some(Duration::from_secs(prepare.silence)).filter(|it| !it.is_zero());
            }
            if let Err(error) = self.act(message, payload) {
                self.launcher.send(&FromAgent::Failed(error), &[])?;
            }
        }
        Ok(())
    }

    fn act(&mut self, message: ToAgent, payload: Vec<u8>) -> Result<(), String> {
        match (message, &mut self.prepared, &self.places) {
            (ToAgent::Heartbeat, ..) => {}
            (ToAgent::Time, ..) => {
                // The reader of the launcher's messages notices that it has gone.
                let _ = self.launcher.send(&FromAgent::Time(profile::now()), &[]);
            }
            (ToAgent::Connect(connect), ..) => self.subtree.connect(connect)?,
            (ToAgent::Pass { number }, ..) => self.subtree.pass(number, payload),
            (ToAgent::Close { number }, ..) => self.subtree.close(number),
            (ToAgent::Prepare(prepare), None, _) => self.prepare(&prepare)?,
            (ToAgent::Program, Some(prepared), None) => prepared.program.add(&payload)?,
            (ToAgent::Start(start), Some(_), None) => {
                let Some(prepared) = self.prepared.take() else { return Ok(()) };
                self.places = Some(Places::start(start, prepared, self.launcher.clone())?);
            }
            (ToAgent::Input, _, Some(places)) => places.input(payload),
            (ToAgent::Interrupt, _, Some(places)) => places.interrupt(),
            (ToAgent::Finish(seconds), _, Some(places)) => places.finish(Duration::from_secs(seconds)),
            // The start has failed elsewhere.
            (ToAgent::Interrupt | ToAgent::Finish(_), _, None) => {}
            // Not with its fields, among which may be the secret of the run.
            (message, ..) => return Err(format!("the agent did not expect {} now", message.name())),
        }
        Ok(())
    }

    fn prepare(&mut self, prepare: &Prepare) -> Result<(), String> {
        let choice = interface::Choice {
            interface: prepare.interface.clone(),
            toward: prepare.toward,
            reached: self.address,
        };
        let address = choice.address()?;
        let listener = match prepare.leads {
            false => None,
            true => Some(
                connect::listen(address).map_err(|error| format!("cannot listen at {address}: {error}"))?,
            ),
        };
        let port = match &listener {
            Some(listener) => listener.local_addr().map_err(|error| error.to_string())?.port(),
            None => 0,
        };
        let program = Store::open(prepare.digest)?;
        let needs_program = !program.is_complete();
        self.prepared = Some(Prepared { address, listener, program });
        let ready = FromAgent::Ready { address, port, needs_program };
        self.launcher.send(&ready, &[]).map_err(|error| error.to_string())
    }
}
