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
use crate::apgas::engine::FinishScope;
use crate::apgas::finish::Finish;
use crate::apgas::local_engine::LocalEngine;
use crate::apgas::system::System;
use crate::apgas::worker_loop::start_scheduler;
use crate::base::interrupt::{self, Then};
use crate::base::place::PlaceId;
use crate::base::{output, output_errors, sanitizer};
use crate::cache::InUse;
use crate::device;
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::natives::{files, system};
use crate::net::bootstrap::connect::BootstrapInfo;
use crate::net::bootstrap::launcher::Program;
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
}

/// Runs a program at all its places, or this process's share of it, and returns the exit status.
///
/// # Errors
/// When it cannot be started, in words for the user.
pub fn run(options: RunOptions) -> Result<i32, String> {
    let runtime = Runtime::start(options)?;
    let status = runtime.run_program();
    Ok(runtime.shutdown(status).code())
}

/// A place of a program that has started: connected with the others, its program loaded, its scheduler ready.
pub struct Runtime {
    options: RunOptions,
    place: &'static System,
    /// Host places of the program.
    places: u32,
}

/// With what a process is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct ExitStatus(i32);

impl ExitStatus {
    /// As a number for the system.
    pub fn code(self) -> i32 {
        self.0
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
        }
    }

    /// Makes this process a place of the program. Place 0 starts the others.
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
        heap::configure(options.heap, neighbours.max(1) as usize);
        interrupt::set(|_| {
            profile::finish();
            bootstrap::interrupted();
            profile::complete(1);
            Then::End
        });
        // Before the place has an endpoint, which is observed only then.
        match (options.bootstrap.as_ref().and_then(|info| info.profile), &options.profile) {
            // SAFETY: inherited for this place alone, and taken once: a process is one place.
            (Some(part), _) => profile::start_part(unsafe { File::from_raw_fd(part) }, here.0),
            (None, Some(file)) => profile::start(file.clone(), here.0),
            (None, None) => {}
        }
        let place = connect(&options)?;
        let loaded = match &options.program {
            Image::File(path) => program::load(path),
            Image::Bytes(bytes) => program::load_bytes(bytes),
        };
        let loaded = loaded.map(|()| abi::bind_program());
        // Another place holds the cache from before it joins until here.
        drop(options.cache_in_use.take());
        if let Err(error) = loaded {
            bootstrap::close(place, 1);
            return Err(error);
        }
        apgas::slots::set_timeout(options.slot_timeout);
        start_scheduler(options.threads);
        place.attach(Arc::new(LocalEngine));
        Ok(Runtime { options, place, places })
    }

    /// Runs `main` at place 0, and returns when all its activities have ended; serves place 0 elsewhere,
    /// until it has ended the program. The program's exit status.
    pub fn run_program(&self) -> i32 {
        if apgas::here() != PlaceId::ZERO {
            return bootstrap::serve(self.place);
        }
        if self.places == 1 {
            scheduler::set_on_deadlock(report_deadlock);
        } else {
            crate::apgas::deadlock::quiescence::start_detector(report_deadlock);
        }
        run_main(&self.options.arguments)
    }

    /// Writes what is buffered, and ends the other places from place 0. With what this process is to end, if
    /// the program has ended with `code`.
    pub fn shutdown(self, code: i32) -> ExitStatus {
        finish_output(&self.options);
        if apgas::here() != PlaceId::ZERO {
            return ExitStatus(output_errors::exit_status(code, output_errors::PLACE_STATUS));
        }
        bootstrap::close(self.place, code);
        profile::complete(self.places);
        ExitStatus(output_errors::exit_status(code, 1))
    }
}

/// Connects with the other places, which place 0 starts.
fn connect(options: &RunOptions) -> Result<&'static System, String> {
    let executable = std::env::current_exe().map_err(|error| format!("cannot find apg itself: {error}"))?;
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
    bootstrap::open(options.bootstrap.clone(), &session)
}

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
    output::end_process(1);
}

/// Runs `main` in an activity under the root finish.
fn run_main(arguments: &[String]) -> i32 {
    let finish = Finish::new();
    let scope: Arc<dyn FinishScope> = Arc::clone(&finish) as Arc<dyn FinishScope>;
    let arguments = arguments.to_vec();
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

/// Everything that was printed is written.
fn finish_output(options: &RunOptions) {
    profile::finish();
    files::flush_all();
    output::flush_all();
    if options.collector_statistics {
        let statistics = heap::statistics();
        report!(
            "apg: {}: {} collections in {:.3} ms, longest {:.3} ms, {} bytes in use at the end",
            apgas::here(),
            statistics.collections,
            statistics.nanoseconds as f64 / 1e6,
            statistics.longest as f64 / 1e6,
            statistics.in_use,
        );
    }
}
