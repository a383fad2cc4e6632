//! Puts from and to memory of accelerators, over an MPI for tests (`tests/fake_mpi.c`) whose accelerator has
//! memory that ends a process which touches it.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libloading::Library;
use parking_lot::Mutex;

use crate::base::place::PlaceId;
use crate::heap::Handle;
use crate::net::device_memory::{DeviceContext, DeviceMemory};
use crate::net::endpoint::{PutTarget, Receiver};
use crate::net::frame::encoding::{Frame, FrameKind};
use crate::net::mpi::inbox::Inbox;
use crate::net::mpi::library::Mpi;
use crate::net::mpi::outbox::{Body, MAX_PIECE_SIZE, Outbox};
use crate::serialize::Error;
use crate::serialize::out_of_band::Received;

/// Where the target is in the accelerator's memory.
const TARGET: u64 = 128 << 20;
/// The other place of the job.
const PEER: PlaceId = PlaceId(1);

fn compile(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/net/mpi/tests/fake_mpi.c");
    let library = folder.join("libmpi_abi.so.1");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-w", "-shared", "-fPIC", "-o"]).args([&library, &source]);
    assert!(compiler.status().is_ok_and(|status| status.success()), "the MPI for tests compiles");
    library
}

/// The library's own view of the accelerator.
struct Accelerator {
    library: Library,
    start: u64,
}

impl Accelerator {
    fn new(path: &Path) -> Accelerator {
        // SAFETY: the library above.
        let library = unsafe { Library::new(path) }.expect("it was loaded before");
        // SAFETY: its function.
        let start =
            unsafe { (library.get::<extern "C" fn() -> u64>(c"fake_device").expect("it is there"))() };
        Accelerator { library, start }
    }

    /// Bytes at an offset.
    #[expect(clippy::mut_from_ref, reason = "memory of the library, which one thread of the test uses")]
    fn bytes(&self, offset: u64, length: usize) -> &mut [u8] {
        // SAFETY: the function of the library, and bytes inside of the memory that it has.
        unsafe {
            let bytes = self.library.get::<extern "C" fn(u64) -> *mut u8>(c"fake_device_bytes");
            std::slice::from_raw_parts_mut(bytes.expect("it is there")(self.start + offset), length)
        }
    }

    /// How many messages were sent from it, and received into it.
    fn messages(&self) -> (i32, i32) {
        let (mut sends, mut receives) = (0, 0);
        // SAFETY: the function of the library; room for the answers.
        unsafe {
            let count = self.library.get::<extern "C" fn(&mut i32, &mut i32)>(c"fake_device_messages");
            count.expect("it is there")(&mut sends, &mut receives);
        }
        (sends, receives)
    }
}

/// Counts how often a thread gets the accelerator.
#[derive(Default)]
struct Context(AtomicUsize);

impl DeviceContext for Context {
    fn enter(&self) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Puts with the header "device" go to the accelerator, others to memory of the host.
struct Targets {
    device: DeviceMemory,
    host: Mutex<Vec<u8>>,
    ended: Mutex<Vec<(Vec<u8>, bool)>>,
}

impl Receiver for Targets {
    fn message(&self, _: PlaceId, _: Cow<'_, [u8]>, _: Vec<Received>) -> Result<(), Error> {
        Ok(())
    }

    fn begin_part(&self, _: u64, _: u64, _: u64) -> Option<(PutTarget, Handle)> {
        None
    }

    fn begin_put(&self, _: PlaceId, _: &[u8], length: u64) -> Result<Option<PutTarget>, Error> {
        let mut host = self.host.lock();
        *host = vec![0; length as usize];
        Ok(Some(PutTarget { address: host.as_mut_ptr(), length }))
    }

    fn begin_device_put(
        &self,
        _: PlaceId,
        header: &[u8],
        length: u64,
    ) -> Result<Option<DeviceMemory>, Error> {
        Ok((header == b"device").then(|| DeviceMemory { length, ..self.device.clone() }))
    }

    fn end_put(&self, _: PlaceId, header: Vec<u8>, accepted: bool) -> Result<(), Error> {
        self.ended.lock().push((header, accepted));
        Ok(())
    }

    fn peer_down(&self, _: PlaceId, _: Option<io::Error>) {}
}

/// Handles all that has come.
fn receive_all(inbox: &mut Inbox, receiver: &dyn Receiver) {
    while let Some(arrival) = inbox.arrival().expect("MPI works") {
        inbox.receive(arrival, receiver).expect("a put");
    }
}

#[test]
fn accelerators_are_read_and_written_by_mpi_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = compile(folder.path());
    let mpi = Arc::new(Mpi::open(Some(&path), 2).expect("an MPI"));
    assert!(mpi.knows_cuda, "it says so");
    let outbox = Outbox::new(Arc::clone(&mpi), 2);
    let mut inbox = Inbox::new(Arc::clone(&mpi), 2).expect("an MPI");
    let accelerator = Accelerator::new(&path);
    let context = Arc::new(Context::default());
    let memory = |offset, length: usize| {
        let context: Arc<dyn DeviceContext> = Arc::<Context>::clone(&context);
        DeviceMemory { address: accelerator.start + offset, length: length as u64, context }
    };
    let targets = Targets { device: memory(TARGET, 0), host: Mutex::default(), ended: Mutex::default() };
    let lengths = [0, 1, 100, 16 << 10, (16 << 10) + 1, MAX_PIECE_SIZE, MAX_PIECE_SIZE + 5, 20 << 20];
    for (case, length) in lengths.into_iter().enumerate() {
        let pattern: Vec<u8> = (0..length).map(|at| (at * 7 + at / 251 + case) as u8).collect();
        accelerator.bytes(0, length).copy_from_slice(&pattern);
        let source = memory(0, length);
        let bodies = [(Body::Device(&source), 1), (Body::Host(&pattern), 0)];
        for (body, sent) in bodies {
            for (header, received) in [(&b"device"[..], 1), (&b"host"[..], 0)] {
                let before = accelerator.messages();
                accelerator.bytes(TARGET, length).fill(0xee);
                outbox.send_put(PEER, header, body).expect("it is sent");
                receive_all(&mut inbox, &targets);
                assert_eq!(targets.ended.lock().pop(), Some((header.to_vec(), true)), "{length} bytes");
                let host = targets.host.lock();
                let found = if received == 1 { &*accelerator.bytes(TARGET, length) } else { &host[..] };
                assert!(found == pattern, "{length} bytes to {}", String::from_utf8_lossy(header));
                let pieces = length.div_ceil(MAX_PIECE_SIZE) as i32;
                let after = accelerator.messages();
                assert_eq!((after.0 - before.0, after.1 - before.1), (pieces * sent, pieces * received));
            }
        }
    }
    // The backlog of handlers goes through the host.
    let frame = Frame { class: FrameKind::Put, header: b"device", body: &[5; 40_000], parts: &[] };
    outbox.send_frame(PEER, frame).expect("it is sent");
    receive_all(&mut inbox, &targets);
    assert_eq!(*targets.host.lock(), [5; 40_000]);
    // Other threads may continue transfers: each gets the accelerator once, before its first call.
    let before = context.0.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..3 {
                mpi.barrier().expect("MPI works");
            }
        });
    });
    assert_eq!(context.0.load(Ordering::Relaxed), before + 1);
    inbox.withdraw();
    mpi.close();
}
