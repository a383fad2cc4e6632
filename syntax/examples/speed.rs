//! Megabytes a second of the parts of parsing, and memory of the trees, over the files below the given folders.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The system's allocator, with a count of the bytes that are in use.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn collect(path: &std::path::Path, texts: &mut Vec<String>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        entries.flatten().for_each(|it| collect(&it.path(), texts));
    } else if path.extension().is_some_and(|it| it == "x10") {
        texts.extend(std::fs::read_to_string(path));
    }
}

fn main() {
    let mut texts = Vec::new();
    std::env::args_os().skip(1).for_each(|it| collect(std::path::Path::new(&it), &mut texts));
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    for (name, stages) in [("lex", 0), ("lex, parse", 1), ("lex, parse, tree", 2), ("all with validation", 3)]
    {
        let best = (0..5)
            .map(|_| {
                let start = Instant::now();
                texts.iter().for_each(|it| apg_syntax::parse_stages(it, stages));
                start.elapsed().as_secs_f64()
            })
            .fold(f64::MAX, f64::min);
        println!("{name:20} {:6.1} MB/s", megabytes / best);
    }
    let before = USED.load(Ordering::Relaxed);
    let trees: Vec<_> = texts.iter().map(|it| apg_syntax::parse(it)).collect();
    let used = USED.load(Ordering::Relaxed) - before;
    println!("{:.1} bytes of tree for each of source ({} files)", used as f64 / 1e6 / megabytes, trees.len());
}
