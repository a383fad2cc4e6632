//! Tests of launch summaries, and of analyses on broken sources.

use crate::body::Owner;
use crate::check::file_diagnostics;
use crate::fixture::{file, host};
use crate::item_tree::items::{all_classes, methods};
use crate::kernel::{TransferKind, launch_summaries};

const PROGRAM: &str = r#"
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

struct Pair(a:Byte, b:Double) { }

class Example {
    static SCALE:Float = 2.0f;
    @CUDA static def twice(x:Float):Float = 2.0f * x;

    static def run(p:Place, pair:Pair, out:GlobalRail[Float]{self.home() == p}, n:Int) {
        val weights = new Rail[Float](100, 1.0f);
        val table = new Rail[Double](16);
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            val constants = CUDAConstantRail(table);
            finish for (block in 0n..(blocks - 1n)) async {
                val cache = new Rail[Float](weights);
                val counts = new Rail[Int](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    counts(thread) = n;
                    Clock.advanceAll();
                    out(block * 64n + thread) = twice(cache(thread) + counts(0)) * SCALE + weights(0) + (constants(1) + pair.b) as Float;
                }
            }
        }
    }
}
"#;

#[test]
fn launch_summary_lists_extents_and_captures() {
    let host = host(PROGRAM);
    let file = file(&host, "Example.x10");
    let analysis = host.snapshot();
    let found = analysis.with(|db| {
        let methods = all_classes(db, file).iter().flat_map(|class| methods(db, *class));
        methods.flat_map(|method| launch_summaries(db, Owner::Method(*method))).collect::<Vec<_>>()
    });
    let found = found.expect("not cancelled");
    let [launch] = &found[..] else { panic!("one kernel, found {}", found.len()) };
    assert_eq!(launch.place, "p");
    let text = PROGRAM.trim_start();
    assert_eq!(&text[usize::from(launch.head.start())..usize::from(launch.head.end())], "at (p) ");
    assert_eq!((launch.block_count, launch.thread_count), (None, Some(64)));
    assert_eq!(launch.blocks[0].last, "blocks - 1n");
    assert_eq!(launch.threads[0].index.as_deref(), Some("thread"));
    let shared: Vec<_> = launch.shared.iter().map(|rail| (rail.name.as_str(), rail.bytes)).collect();
    assert_eq!(shared, [("cache", Some(400)), ("counts", Some(256))]);
    assert_eq!(launch.shared_bytes, Some(656));
    let captures: Vec<_> = launch
        .captures
        .iter()
        .map(|capture| (capture.name.as_str(), capture.transfer, capture.bytes))
        .collect();
    assert_eq!(
        captures,
        [
            ("table", TransferKind::Constant, Some(128)),
            ("weights", TransferKind::Copied, Some(400)),
            ("n", TransferKind::Value, Some(4)),
            ("out", TransferKind::Address, Some(16)),
            ("pair", TransferKind::Value, Some(16)),
            ("Example.SCALE", TransferKind::Value, Some(4)),
        ]
    );
    assert_eq!(launch.functions, ["Example.twice"]);
    assert!(launch.has_barrier);
}

/// The analysis of any mutilated kernel ends without an internal error.
#[test]
fn mutilated_kernels_cause_no_internal_error() {
    let check = |text: String| {
        let host = host(&text);
        let file = file(&host, "Example.x10");
        let found = host.snapshot().with(|db| file_diagnostics(db, file)).expect("not cancelled");
        assert!(found.iter().all(|diagnostic| diagnostic.code != "internal/panic"), "{found:?}\n{text}");
    };
    let words: Vec<&str> = PROGRAM.split_inclusive([' ', '(', '\n']).collect();
    for cut in (4..words.len()).step_by(9) {
        check(words[..cut].concat());
        let without: String =
            words.iter().enumerate().filter(|(index, _)| *index != cut).map(|(_, word)| *word).collect();
        check(without);
    }
}
