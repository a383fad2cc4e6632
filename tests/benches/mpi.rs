//! Messages between two places of one machine over an MPI, beside that MPI's own: the transport alone, whose
//! receiver answers in its handler, and `at`, which adds an activity and its answer. Budgets: 1.2 times the
//! round trip of MPI, 95 % of its bandwidth.

use std::borrow::Cow;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use apg_runtime::base::place::PlaceId;
use apg_runtime::heap::Handle;
use apg_runtime::net::bootstrap::connect::{self, BootstrapInfo};
use apg_runtime::net::bootstrap::handshake::{Secret, StartContext};
use apg_runtime::net::mesh::endpoint::Mesh;
use apg_runtime::net::mpi::endpoint::MpiEndpoint;
use apg_runtime::net::placement::Placement;
use apg_runtime::net::{Endpoint, PutTarget, Receiver};
use apg_runtime::serialize::Error;
use apg_runtime::serialize::out_of_band::Received;
use apg_tests::measure::{Times, head, machine, row};
use apg_tests::{jobs, tools};

/// How often in a round, with how many bytes, and what a program does.
const CASES: [(u64, u64, &str); 4] =
    [(20_000, 0, "at"), (5_000, 64 << 10, "put"), (300, 1_000_000, "put"), (16, 100_000_000, "put")];
const ROUNDS: u64 = 5;
/// First argument of a process that measures the transport alone; a folder, a count and a size follow.
const RAW: &str = "--transport-alone";
/// How long the other process may take to come.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| -> u64 { arguments[index].parse().expect("a number") };
    match arguments.first().map(String::as_str) {
        Some(RAW) => measure_transport(Path::new(&arguments[1]), number(2), number(3)),
        _ => measure(),
    }
}

/// Measures all cases over all MPIs.
fn measure() {
    println!("machine: {}", machine());
    let folder = tempfile::tempdir().expect("a temporary folder");
    for mpi in ["openmpi", "mpich"] {
        let Some(compiler) = tools::optional_tool(&format!("mpicc.{mpi}")) else { continue };
        if tools::optional_tool(&format!("mpirun.{mpi}")).is_none() {
            continue;
        }
        let launch = || jobs::mpirun_with_own_cpus(mpi, 2).expect("it is installed");
        let peer = folder.path().join(mpi);
        let source = tools::repository().join("tests/bench/mpi.c");
        let compiled = Command::new(compiler).arg("-O2").arg(source).arg("-o").arg(&peer).status();
        assert!(compiled.is_ok_and(|it| it.success()));
        for (count, bytes, what) in CASES {
            let numbers = [count, bytes].map(|it| it.to_string());
            head(&format!("{count} messages of {bytes} bytes over {mpi}, each answered"));
            let own = rounds(launch().arg(&peer).args(&numbers));
            let store = tempfile::tempdir().expect("a temporary folder");
            let mut alone = launch();
            alone.arg(std::env::current_exe().expect("a path")).arg(RAW).arg(store.path()).args(&numbers);
            row("apg's transport alone", &rounds(&mut alone), Some(&own));
            let mut program = launch();
            program.arg(tools::apg()).args(["run", "--release", "--accels", "none", "--transport", "mpi"]);
            program.arg(tools::repository().join("tests/bench/spawn.x10")).args(["--", what]).args(&numbers);
            let name = if what == "at" { "`at (p) { }`" } else { "`Rail.asyncCopy`" };
            row(name, &rounds(&mut program), Some(&own));
            row(&format!("peer: {mpi}"), &own, None);
        }
    }
}

/// The rounds that a program times itself.
fn rounds(command: &mut Command) -> Times {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| Duration::from_nanos(line.parse().expect("nanoseconds"))).collect()
}

/// Counts the answers at place 0; answers at the other place.
struct Counter {
    endpoint: Arc<MpiEndpoint>,
    answers: AtomicU64,
    has_ended: AtomicBool,
    /// Of puts, and how many bytes it has.
    target: (AtomicPtr<u8>, u64),
}

impl Counter {
    fn answer(&self, from: PlaceId) {
        match from {
            PlaceId::ZERO => self.endpoint.send(from, b"", &[]).expect("place 0 waits for it"),
            _ => _ = self.answers.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl Receiver for Counter {
    fn message(&self, from: PlaceId, body: Cow<'_, [u8]>, _: Vec<Received>) -> Result<(), Error> {
        match &*body {
            b"end" => self.has_ended.store(true, Ordering::Relaxed),
            _ => self.answer(from),
        }
        Ok(())
    }

    fn begin_part(&self, _: u64, _: u64, _: u64) -> Option<(PutTarget, Handle)> {
        None
    }

    fn begin_put(&self, _: PlaceId, _: &[u8], length: u64) -> Result<Option<PutTarget>, Error> {
        let address = self.target.0.load(Ordering::Relaxed);
        Ok((length <= self.target.1).then_some(PutTarget { address, length }))
    }

    fn end_put(&self, from: PlaceId, _: Vec<u8>, accepted: bool) -> Result<(), Error> {
        assert!(accepted, "there is memory");
        self.answer(from);
        Ok(())
    }

    fn peer_down(&self, place: PlaceId, error: Option<std::io::Error>) {
        panic!("{place} has gone: {error:?}");
    }
}

/// One of two processes of an MPI: sends that many messages or puts and waits for an answer to each, or
/// answers. Place 0 prints the nanoseconds of each round.
fn measure_transport(folder: &Path, count: u64, bytes: u64) {
    let rank = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].iter().find_map(|name| std::env::var(name).ok());
    let here = PlaceId(rank.and_then(|it| it.parse().ok()).expect("a rank"));
    let endpoint = MpiEndpoint::new(connect(here, folder), None).unwrap_or_else(|error| panic!("{error}"));
    let endpoint = Arc::new(endpoint);
    let target = vec![0_u8; bytes as usize].leak().as_mut_ptr();
    let counter = Arc::new(Counter {
        endpoint: Arc::clone(&endpoint),
        answers: AtomicU64::new(0),
        has_ended: AtomicBool::new(false),
        target: (AtomicPtr::new(target), bytes),
    });
    endpoint.start(Arc::clone(&counter) as Arc<dyn Receiver>).expect("a thread");
    endpoint.set_polled(true);
    if here == PlaceId::ZERO {
        // As the peer's: not the system's page of zeros.
        ping(&endpoint, &counter, count, &vec![1; bytes as usize]);
        endpoint.send(PlaceId(1), b"end", &[]).expect("place 1 waits for it");
    } else {
        while !counter.has_ended.load(Ordering::Relaxed) {
            endpoint.poll();
        }
    }
    endpoint.shutdown();
}

fn ping(endpoint: &MpiEndpoint, counter: &Counter, count: u64, data: &[u8]) {
    let mut sent = 0;
    for round in 0..=ROUNDS {
        let start = Instant::now();
        for _ in 0..count {
            match data {
                [] => endpoint.send(PlaceId(1), b"", &[]),
                data => endpoint.put(PlaceId(1), b"there", data),
            }
            .expect("place 1 receives");
            sent += 1;
            while counter.answers.load(Ordering::Relaxed) < sent {
                endpoint.poll();
            }
        }
        if round > 0 {
            println!("{}", start.elapsed().as_nanos());
        }
    }
}

/// Connects two processes, which meet in a folder.
fn connect(here: PlaceId, folder: &Path) -> Mesh {
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let deadline = Instant::now() + CONNECT_TIMEOUT;
    let (file, placement) = (folder.join("leader"), Placement::on_this_machine(2));
    let mesh = if here == PlaceId::ZERO {
        let secret = Secret::random().expect("random bytes");
        let listener = connect::listen(address).expect("a port");
        let leader = listener.local_addr().expect("an address").to_string();
        let new = folder.join("new");
        fs::write(&new, [secret.0.as_slice(), leader.as_bytes()].concat()).expect("written");
        fs::rename(new, file).expect("renamed");
        let placement = &placement;
        let failed = &|| None;
        connect::host(
            listener,
            &StartContext { here, placement, secret, encrypts: false, identity: 0, deadline, failed },
        )
    } else {
        let text = loop {
            match fs::read(&file) {
                Ok(text) => break text,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let (secret, leader) = text.split_first_chunk().expect("a secret");
        let leader: SocketAddr = String::from_utf8_lossy(leader).parse().expect("an address");
        let info = BootstrapInfo {
            place: here,
            placement,
            leader,
            address,
            listener: None,
            output_lock: None,
            farewell: None,
            secret: Secret(*secret),
            encrypts: false,
            profile: None,
        };
        connect::join(&info, 0, deadline)
    };
    mesh.unwrap_or_else(|error| panic!("{error}"))
}
