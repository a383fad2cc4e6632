//! C programs with XcalableMP: each place is a process that runs `main`.

use std::path::Path;
use std::sync::Arc;

use apg_project::c::xcalablemp_flags;
use apg_runtime::apgas::bootstrap::{self, Carrier, Supervision};
use apg_runtime::base::ending::Ending;
use apg_runtime::base::interrupt;
use apg_runtime::base::place::PlaceId;
use apg_runtime::cluster::session;
use apg_runtime::net::bootstrap::connect;
use apg_runtime::net::bootstrap::launcher::Program;
use apg_runtime::net::endpoint::Endpoint;
use apg_runtime::net::mpi;
use apg_runtime::offload::{Main, TargetDevices};
use apg_runtime::run::Image;
use apg_runtime::topology::Selection;
use apg_runtime::{cache, xmp};
use apg_toolchain::c::{CBuild, Form, SharedForm, Support};

use super::c_devices::{self, CommandLine};
use super::hosts::{Cluster, HostOptions, MAX_PLACES, PLACES_VARIABLE, Target, number};
use super::launch::{restart, serve};
use crate::exit;
use crate::failure::{Failure, Outcome};

/// What connects a program with its places.
const SUPPORT: Support = Support {
    header: ("apg_xmp.h", xmp::HEADER),
    own_headers: &[("xmp.h", xmp::USER_HEADER)],
    source: xmp::SUPPORT,
};

/// Makes the request for a program one for a program of places, from the parts that it has with its devices.
pub(super) fn distribute(request: &mut CBuild, mut form: SharedForm) {
    let (version, folder): (Vec<_>, Vec<_>) =
        xcalablemp_flags().into_iter().partition(|it| it.starts_with("-D"));
    request.options.extend([version, folder].into_iter().filter(|it| !it.is_empty()));
    form.supports.push(SUPPORT);
    request.form = Form::SharedObject(form);
}

/// Whether a built program is one of places.
pub(super) fn is_distributed(object: &Path) -> bool {
    std::fs::read(object).is_ok_and(|bytes| bytes.windows(SYMBOL.len()).any(|it| it == SYMBOL))
}

/// A symbol that only programs of places have.
const SYMBOL: &[u8] = b"\0apg_xmp_main\0";

/// A place that knows the others.
pub(super) struct Node {
    endpoint: Arc<dyn Endpoint>,
    supervision: Supervision,
    ending: &'static Ending,
}

/// Where the places of a program are.
pub(super) enum Start {
    /// This process is one of them; how many there are, if that was said.
    Here(Option<u32>),
    /// Elsewhere: the program has ended with a status.
    Ended(u8),
}

/// Runs a program on other hosts or in the processes of a job, if the options or a launcher say so. Its
/// places have the devices, the transport and the words of `line`.
pub(super) fn start_elsewhere(
    hosts: &HostOptions,
    places: Option<u32>,
    line: &CommandLine,
    object: &[u8],
) -> Result<Start, Failure> {
    Ok(match find_target(hosts, places, &line.carrier)? {
        Destination::Here(places) => Start::Here(places),
        Destination::Ended(outcome) => Start::Ended(outcome?),
        Destination::Cluster(cluster) => {
            // As for the launcher of any program.
            interrupt::catch(exit::end_by);
            Start::Ended(run_on_hosts(*cluster, Image::Bytes(object.to_vec()), line)?)
        }
    })
}

/// Where a program is to run.
pub(super) enum Destination {
    /// Places of this machine; how many, if that was said.
    Here(Option<u32>),
    /// Other hosts, or the processes of a job.
    Cluster(Box<Cluster>),
    /// This process has served another one, which has run the program.
    Ended(Outcome),
}

/// Where a program of places is to run; returns after its end where another process of its job runs it.
pub(super) fn find_target(
    hosts: &HostOptions,
    places: Option<u32>,
    carrier: &Carrier,
) -> Result<Destination, Failure> {
    let places = number(places, PLACES_VARIABLE, MAX_PLACES)?;
    Ok(match hosts.resolve(places, matches!(carrier, Carrier::Mpi(_)))? {
        Target::Here(number) => Destination::Here(number.or(places)),
        Target::Cluster(cluster) => Destination::Cluster(cluster),
        Target::Agent(membership) => Destination::Ended(serve(membership)),
        Target::Restart(command) => Destination::Ended(restart(command)),
    })
}

/// Runs a program on other hosts or in the processes of a job.
pub(super) fn run_on_hosts(cluster: Cluster, program: Image, line: &CommandLine) -> Outcome {
    let places = cluster.placement.places();
    let of_place = CommandLine {
        devices: line.devices.clone(),
        places: Some(places),
        carrier: line.carrier.clone(),
        words: line.words.clone(),
    };
    let job = session::Job {
        program,
        // Each place has the arguments, not the first alone.
        arguments: Vec::new(),
        placement: cluster.placement,
        agents: cluster.agents,
        interface: cluster.interface,
        private_network: cluster.private_network,
        place_command: c_devices::COMMAND.into(),
        place_options: of_place.arguments(),
        variables: if matches!(line.carrier, Carrier::Mpi(_)) { mpi::VARIABLES.to_vec() } else { Vec::new() },
        threads: 1,
        profile: None,
    };
    session::run(&job, cluster.start).map(exit::byte_of).map_err(Failure::new)
}

/// Connects this process with the other places, which place 0 starts as it was started itself.
pub(super) fn join(object: &Path, places: u32, carrier: Carrier) -> Result<Node, Failure> {
    let cannot = |error: std::io::Error| Failure::new(format!("cannot start the places: {error}"));
    // SAFETY: no other thread runs yet, and nothing else has used the inherited descriptors.
    let info = unsafe { connect::take_bootstrap_info() };
    let bytes = std::fs::read(object).map_err(cannot)?;
    let digest = cache::key(&[bytes]);
    let identity = u64::from_str_radix(digest.get(..16).unwrap_or_default(), 16).unwrap_or(0);
    let options = bootstrap::Options {
        hosts: places,
        threads: 1,
        accelerators: Selection::Auto,
        carrier,
        program: Program {
            executable: std::env::current_exe().map_err(cannot)?.into(),
            arguments: std::env::args_os().skip(1).collect(),
            identity,
        },
    };
    let (supervision, ending): (_, &'static Ending) =
        (Supervision::default(), Box::leak(Box::new(Ending::new())));
    let endpoint = bootstrap::connect(info, &options, &supervision, ending).map_err(Failure::new)?;
    Ok(Node { endpoint, supervision, ending })
}

impl Node {
    /// The device of this node: of those of its host the one of its number among the nodes of that, modulo
    /// how many devices there are.
    pub(super) fn device(&self, all: TargetDevices) -> TargetDevices {
        match all {
            TargetDevices::Gpus(list) if !list.is_empty() => {
                let before = PlaceId::first(self.endpoint.here().0);
                let number = before.filter(|it| self.endpoint.is_local(*it)).count();
                TargetDevices::Gpus(vec![list[number % list.len()]])
            }
            all => all,
        }
    }

    /// Gives the loaded program its places: what to run in place of its `main`.
    pub(super) fn attach(self) -> Result<Main, Failure> {
        let main = xmp::attach(self.endpoint, self.supervision, self.ending, end_program);
        exit::buffer_lines();
        main.map_err(Failure::new)?.ok_or_else(|| Failure::new("this program has no places"))
    }
}

/// Ends this process, after an error in words for the user.
fn end_program(error: Option<(&str, Option<&str>)>, status: i32) -> ! {
    if let Some((message, hint)) = error {
        let failure = Failure::new(message);
        let mut failure = hint.into_iter().fold(failure, Failure::hint);
        // The status says it where nothing can be written.
        let _ = failure.print();
    }
    exit::end_at_once(status)
}
