//! Running a program: what the `apg` command asks for.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::FromRawFd;
use std::path::PathBuf;
use std::sync::Arc;

use crate::abi;
use crate::apgas;
use crate::apgas::activity::{self, Activity, Work};
use crate::apgas::bootstrap;
pub use crate::apgas::bootstrap::Carrier;
use crate::apgas::bootstrap::{Supervision, check_place_count};
use crate::apgas::engine::FinishScope;
use crate::apgas::failure::FailFast;
use crate::apgas::finish::Finish;
use crate::apgas::local_engine::LocalEngine;
use crate::apgas::system::System;
use crate::apgas::worker_loop::start_scheduler;
pub use crate::base::ending::ExitStatus;
use crate::base::ending::{End, Ending};
use crate::base::fatal;
use crate::base::interrupt::{self, Then};
pub use crate::base::output::Sink;
use crate::base::place::PlaceId;
use crate::base::{output, output_errors, sanitizer};
use crate::cache::InUse;
use crate::device;
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::natives::{files, system};
use crate::net::bootstrap::connect::BootstrapInfo;
use crate::net::bootstrap::launcher::Program;
use crate::net::in_process::{Network, Schedule};
use crate::profile;
use crate::program;
use crate::scheduler;
use crate::slots::timeout::SlotTimeout;
use crate::topology::Selection;

/// Where the compiled program is.
#[derive(Clone, Debug)]
pub enum Image {
    /// A shared object.
    File(PathBuf),
    /// The bytes of one.
    Bytes(Vec<u8>),
}

/// How to run a program.
#[derive(Debug)]
pub struct RunOptions {
    /// The program.
    pub program: Image,
    /// The arguments of `main`.
    pub arguments: Vec<String>,
    /// Host places, at least 1.
    pub places: u32,
    /// Threads that run activities at each place; 0 asks for one a processor, and for two of one processor.
    pub threads: usize,
    /// Accelerators of each host.
    pub accelerators: Selection,
    /// Most bytes of each place's heap; 0 asks for three quarters of the memory, shared by all places.
    pub heap: usize,
    /// What carries messages between host places.
    pub carrier: Carrier,
    /// How long a slot may wait before a report.
    pub slot_timeout: SlotTimeout,
    /// Print at the end what the collector did.
    pub collector_statistics: bool,
    /// Where to write what the program does over time.
    pub profile: Option<PathBuf>,
    /// The command line, after the executable, with which this executable becomes another place of this
    /// program.
    pub place_arguments: Vec<OsString>,
    /// What [`crate::net::bootstrap::connect::take_bootstrap_info`] found: this process is such a place.
    pub bootstrap: Option<BootstrapInfo>,
    /// Keeps the program in the build cache until it is loaded.
    pub cache_in_use: Option<InUse>,
    /// What takes the output; none for the streams of the process.
    pub output: Option<OutputSink>,
}

/// Runs a program at all its places, or this process's share of it.
///
/// # Errors
/// When it cannot be started, in words for the user.
pub fn run(options: RunOptions) -> Result<ExitStatus, String> {
    let runtime = Runtime::start(options)?;
    let end = runtime.run_program();
    Ok(runtime.shutdown(end))
}

/// The places of a program that are in this process, started: connected with the others, the program loaded,
/// the scheduler ready.
pub struct Runtime {
    options: RunOptions,
    /// Those in this process.
    own: Vec<&'static System>,
    /// Host places of the program.
    places: u32,
    /// Between places of this process.
    network: Option<Network>,
    supervision: Supervision,
    ending: &'static Ending,
}

impl RunOptions {
    /// That number of host places.
    #[must_use]
    pub fn places(self, places: u32) -> RunOptions {
        RunOptions { places, ..self }
    }

    /// All places in this process, with messages that arrive by the schedule.
    #[must_use]
    pub fn in_process(self, schedule: Schedule) -> RunOptions {
        RunOptions { carrier: Carrier::InProcess(schedule), ..self }
    }

    /// What the places print goes to `sink`.
    #[must_use]
    pub fn output(self, sink: Sink) -> RunOptions {
        RunOptions { output: Some(OutputSink(sink)), ..self }
    }

    /// Arguments of `main`.
    #[must_use]
    pub fn arguments(self, arguments: Vec<String>) -> RunOptions {
        RunOptions { arguments, ..self }
    }

    /// Makes this process a place of the program, or several: see [`Runtime::start`].
    ///
    /// # Errors
    /// What keeps the program from starting, in words for the user.
    pub fn start(self) -> Result<Runtime, String> {
        Runtime::start(self)
    }
}

/// What takes the output of places.
#[derive(Clone)]
pub struct OutputSink(Sink);

impl std::fmt::Debug for OutputSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OutputSink")
    }
}

impl Runtime {
    /// How to run a program, to be adjusted and given to [`Runtime::start`]: one place with the machine's
    /// accelerators.
    pub fn builder(program: Image) -> RunOptions {
        RunOptions {
            program,
            arguments: Vec::new(),
            places: 1,
            threads: 0,
            accelerators: Selection::Auto,
            heap: 0,
            carrier: Carrier::Mesh,
            slot_timeout: SlotTimeout::default(),
            collector_statistics: false,
            profile: None,
            place_arguments: Vec::new(),
            bootstrap: None,
            cache_in_use: None,
            output: None,
        }
    }

    /// Makes this process a place of the program, or all of them where they are in one process. Place 0
    /// starts the others.
    ///
    /// # Errors
    /// What keeps the program from starting, in words for the user.
    pub fn start(mut options: RunOptions) -> Result<Runtime, String> {
        sanitizer::look();
        device::request_connections();
        let here = options.bootstrap.as_ref().map_or(PlaceId::ZERO, |info| info.place);
        let (places, neighbours) =
            options.bootstrap.as_ref().map_or((options.places, options.places), |info| {
                let placement = &info.placement;
                (placement.places(), placement.places_on(placement.host(here)).count() as u32)
            });
        let is_one_process = matches!(options.carrier, Carrier::InProcess(_));
        heap::configure(options.heap, if is_one_process { 1 } else { neighbours.max(1) as usize });
        heap::prepare()?;
        let supervision = Supervision::default();
        set_interrupt_action(&supervision, Vec::new());
        // Before the place has an endpoint, which is observed only then.
        match (options.bootstrap.as_ref().and_then(|info| info.profile), &options.profile) {
            // SAFETY: inherited for this place alone, and taken once: a process is one place.
            (Some(part), _) => profile::start_part(unsafe { File::from_raw_fd(part) }, here.0),
            (None, Some(file)) => profile::start(file.clone(), here.0),
            (None, None) => {}
        }
        let ending: &'static Ending = Box::leak(Box::new(Ending::new()));
        let cache_in_use = options.cache_in_use.take();
        let mut runtime = Runtime { options, own: Vec::new(), places, network: None, supervision, ending };
        match runtime.options.carrier {
            Carrier::InProcess(schedule) => runtime.open_in_process(schedule)?,
            _ => runtime.open_process()?,
        }
        set_interrupt_action(&runtime.supervision, runtime.own.clone());
        let started = runtime.load().and_then(|()| {
            // Another place holds the cache from before it joins until here.
            drop(cache_in_use);
            start_scheduler(runtime.options.threads)
        });
        if let Err(error) = started {
            runtime.close(1);
            return Err(error);
        }
        for place in &runtime.own {
            let _place = place.enter();
            apgas::slots::set_timeout(runtime.options.slot_timeout);
            place.attach(Arc::new(LocalEngine));
        }
        Ok(runtime)
    }

    /// Makes this process a place, connected with the others, which place 0 starts.
    fn open_process(&mut self) -> Result<(), String> {
        let options = &self.options;
        let executable =
            std::env::current_exe().map_err(|error| format!("cannot find apg itself: {error}"))?;
        let program = Program {
            executable: executable.into(),
            arguments: options.place_arguments.clone(),
            identity: if options.places > 1 || options.bootstrap.is_some() {
                identity(&options.program)?
            } else {
                0
            },
        };
        let session = bootstrap::Options {
            hosts: options.places,
            threads: options.threads,
            accelerators: options.accelerators.clone(),
            carrier: options.carrier.clone(),
            program,
        };
        let info = options.bootstrap.clone();
        self.own = vec![bootstrap::open(info, &session, &self.supervision, self.ending)?];
        Ok(())
    }

    /// Makes all places in this process.
    fn open_in_process(&mut self, schedule: Schedule) -> Result<(), String> {
        check_place_count(self.places)?;
        if matches!(self.options.accelerators, Selection::All | Selection::Listed(_)) {
            return Err("places of one process have no accelerators: write `--accels none`, or leave out \
                        `--transport in-process`"
                .to_owned());
        }
        let network = Network::new(self.places, schedule)
            .map_err(|error| format!("cannot start a thread for messages: {error}"))?;
        let start =
            |place| apgas::start_of_program(network.endpoint(place), Box::<FailFast>::default(), self.ending);
        self.own = PlaceId::first(self.places).map(start).collect::<Result<_, _>>()?;
        self.network = Some(network);
        Ok(())
    }

    /// Loads the program, with static fields for each place.
    fn load(&self) -> Result<(), String> {
        let is_alone = self.network.is_none();
        let copied = match &self.options.program {
            _ if is_alone => None,
            Image::File(path) => {
                let cannot = |error| format!("cannot read the program {}: {error}", path.display());
                Some((std::fs::read(path).map_err(cannot)?, path.clone()))
            }
            Image::Bytes(bytes) => {
                let (file, path) = program::memory_file(bytes)?;
                // Stays open: stack traces read it.
                std::mem::forget(file);
                Some((bytes.clone(), path))
            }
        };
        for place in &self.own {
            let _place = place.enter();
            if let Some(OutputSink(sink)) = &self.options.output {
                output::set_sink(Arc::clone(sink));
            }
            match (&copied, &self.options.program) {
                (Some((bytes, file)), _) => program::load_copy(bytes, file)?,
                (None, Image::File(path)) => program::load(path)?,
                (None, Image::Bytes(bytes)) => program::load_bytes(bytes)?,
            }
            abi::bind_program();
        }
        Ok(())
    }

    /// Place 0, if it is in this process.
    fn leader(&self) -> Option<&'static System> {
        self.own.first().copied().filter(|place| place.here() == PlaceId::ZERO)
    }

    /// Runs `main` if place 0 is in this process, and returns when the program has ended.
    pub fn run_program(&self) -> ProgramEnd {
        let leader = match self.leader() {
            // A place that has died while the others started ends the program before `main`.
            Some(leader) if self.ending.failure().is_none() => leader,
            _ => return ProgramEnd(self.ending.wait()),
        };
        let (ending, arguments) = (self.ending, self.options.arguments.clone());
        {
            let _place = leader.enter();
            if self.places == 1 && self.network.is_none() {
                scheduler::set_on_deadlock(report_deadlock);
            } else {
                crate::apgas::deadlock::quiescence::start_detector(report_deadlock);
            }
        }
        let main = move || {
            let _place = leader.enter();
            ending.set(End::Completed(run_main(arguments)));
        };
        // A thread of its own: what ends the program before `main` does need not wake it.
        if let Err(error) = std::thread::Builder::new().name("apg-main".to_owned()).spawn(main) {
            report!("apg: cannot start a thread for the program: {error}");
            ending.fail(1);
        }
        ProgramEnd(ending.wait())
    }

    /// Writes what is buffered, and ends the other places from place 0. With what this process is to end.
    ///
    /// After a failure the threads of the runtime are left as they are: the end of the process ends them.
    pub fn shutdown(mut self, ProgramEnd(end): ProgramEnd) -> ExitStatus {
        let code = match end {
            End::Completed(code) => code,
            End::Failed(status) => return self.abandon(status),
        };
        self.finish_output();
        let status_of_lost_output = if self.leader().is_some() {
            self.close(code);
            profile::complete(self.places);
            1
        } else {
            self.own.iter().for_each(|place| bootstrap::leave(place, &self.supervision));
            output_errors::PLACE_STATUS
        };
        // A place may have died, or the reader of the output have gone, since `main` has returned.
        let completed = || ExitStatus::Code(output_errors::exit_status(code, status_of_lost_output));
        self.ending.failure().unwrap_or_else(completed)
    }

    /// Writes what is buffered after a failure.
    fn abandon(mut self, status: ExitStatus) -> ExitStatus {
        flush_places(&self.own);
        // Its thread may be one of those that the failure has suspended.
        std::mem::forget(self.network.take());
        match status {
            ExitStatus::Code(code) => ExitStatus::Code(output_errors::exit_status(code, 1)),
            ExitStatus::Signal(signal) => {
                if signal == libc::SIGPIPE {
                    self.supervision.kill();
                }
                status
            }
        }
    }

    /// Ends all places from place 0.
    fn close(&mut self, code: i32) {
        if let Some(leader) = self.own.first() {
            let _place = leader.enter();
            bootstrap::close(leader, &self.supervision, code);
        }
        if let Some(network) = self.network.take() {
            self.own.iter().skip(1).for_each(|place| place.leave_program());
            drop(network);
        }
    }

    /// Everything that was printed is written.
    fn finish_output(&self) {
        profile::finish();
        files::flush_all();
        flush_places(&self.own);
        if self.options.collector_statistics
            && let Some(place) = self.own.first()
        {
            let statistics = heap::statistics();
            report!(
                "apg: {}: {} collections in {:.3} ms, longest {:.3} ms, {} bytes in use at the end",
                place.here(),
                statistics.collections,
                statistics.nanoseconds as f64 / 1e6,
                statistics.longest as f64 / 1e6,
                statistics.in_use,
            );
        }
    }
}

/// A signal that is to end the process ends the program: what its places have printed is written first.
fn set_interrupt_action(supervision: &Supervision, own: Vec<&'static System>) {
    let supervision = supervision.clone();
    interrupt::set(move |_| {
        profile::finish();
        supervision.interrupt();
        flush_places(&own);
        profile::complete(1);
        Then::End
    });
}

/// Writes the unfinished lines of places.
fn flush_places(places: &[&'static System]) {
    for place in places {
        let _place = place.enter();
        output::flush_all();
    }
}

/// How a program has ended, for [`Runtime::shutdown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct ProgramEnd(End);

/// A number that only equal programs have.
fn identity(program: &Image) -> Result<u64, String> {
    let hash = |bytes: &[u8]| {
        // FNV-1a over words: equality of two builds, not security.
        let words =
            bytes.chunks(8).map(|word| word.iter().fold(0_u64, |all, byte| all << 8 | u64::from(*byte)));
        words.fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| (hash ^ word).wrapping_mul(0x0100_0000_01b3))
    };
    match program {
        Image::Bytes(bytes) => Ok(hash(bytes)),
        Image::File(path) => std::fs::read(path)
            .map(|bytes| hash(&bytes))
            .map_err(|error| format!("cannot read the program {}: {error}", path.display())),
    }
}

fn report_deadlock() {
    output::flush_all();
    report!("apg: deadlock: every activity of the program waits, and nothing is left that could wake one");
    crate::apgas::deadlock::quiescence::report_all_places();
    fatal::fail(1);
}

/// Runs `main` in an activity under the root finish.
fn run_main(arguments: Vec<String>) -> i32 {
    let finish = Finish::new();
    let scope: Arc<dyn FinishScope> = Arc::clone(&finish) as Arc<dyn FinishScope>;
    let work = move || match program::string_rail(&arguments) {
        Ok(rail) => {
            activity::name_profile_main();
            program::main(rail)
        }
        Err(raised) => raised.0,
    };
    activity::spawn(Activity::new(scope, Work::Runtime(Box::new(work))));
    let exceptions = finish.wait(None, Ref::NULL);
    let failed = !exceptions.is_empty();
    if failed {
        print_in_activity(exceptions);
    }
    match system::exit_code() {
        0 if failed => 1,
        code => code,
    }
}

/// Printing calls the program's `toString`, which is code for activities.
fn print_in_activity(exceptions: Vec<Handle>) {
    let finish = Finish::new();
    let scope: Arc<dyn FinishScope> = Arc::clone(&finish) as Arc<dyn FinishScope>;
    let work = move || {
        for exception in &exceptions {
            program::print_uncaught("main", exception.get());
        }
        Ref::NULL
    };
    activity::spawn(Activity::new(scope, Work::Runtime(Box::new(work))));
    finish.wait(None, Ref::NULL);
}
