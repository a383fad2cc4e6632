//! `apg run --profile FILE`: a trace that tools read, with what the program did at every place, and a
//! summary.

use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;
use serde_json::Value;

const PROGRAM: &str = "import x10.compiler.CUDA;
import x10.util.CUDAUtilities;
public class Traced {
    static def kernel(out:GlobalRail[Int]{self.home() == here}) {
        val p = here;
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                clocked finish for (thread in 0n..31n) clocked async { out(block * 32n + thread) = thread; }
            }
        }
    }
    public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async {
            finish for (i in 1..3) async System.sleep(20);
            val out = CUDAUtilities.makeGlobalRail[Int](here, 128);
            kernel(out as GlobalRail[Int]{self.home() == here});
        }
        val last = Place.places()(Place.numPlaces() - 1);
        val there = at (last) GlobalRail[Long](new Rail[Long](1000, 7));
        val copy = new Rail[Long](1000);
        finish Rail.asyncCopy(there, 0, copy, 0, 1000);
        Console.OUT.println(copy(999));
        throw new Exception(\"the profile is written all the same\");
    }
}
";

fn run(places: &str) -> (Value, Output) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("Traced.x10"), PROGRAM).expect("written");
    let mut command = Command::new(tools::apg());
    command.current_dir(folder.path()).args([
        "run",
        "Traced.x10",
        "--profile",
        "trace.json",
        "--accels",
        "none",
    ]);
    command.args(["--places", places, "--threads", "2"]);
    let output = programs::run(command, Duration::from_secs(120)).expect("it ends");
    assert_eq!((output.stdout.as_str(), output.status), ("7\n", 1), "{}", output.stderr);
    let text = std::fs::read_to_string(folder.path().join("trace.json")).expect("a trace");
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 2, "parts of the trace are left behind");
    (serde_json::from_str(&text).expect("JSON"), output)
}

/// Spans of a kind.
fn spans<'a>(trace: &'a Value, kind: &str) -> Vec<&'a Value> {
    let events = trace["traceEvents"].as_array().expect("events");
    events.iter().filter(|it| it["ph"] == "X" && it["cat"] == kind).collect()
}

#[test]
fn a_trace_has_activities_kernels_and_copies_of_all_places() {
    for places in ["1", "2"] {
        let count: usize = places.parse().expect("a number");
        let (trace, output) = run(places);
        let kernels = spans(&trace, "kernel");
        assert_eq!(kernels.len(), count, "{trace}");
        for place in 0..count {
            assert!(kernels.iter().any(|it| it["pid"] == place), "{trace}");
        }
        assert_eq!(kernels[0]["args"]["at"], "Traced.x10:6");
        assert_eq!(kernels[0]["args"]["threads"][0], 32);
        let activities = spans(&trace, "activity");
        assert!(activities.iter().any(|it| it["name"] == "main"), "{trace}");
        assert!(activities.iter().any(|it| it["args"]["at"] == "Traced.x10:14"), "{trace}");
        for span in activities.iter().chain(&kernels) {
            assert!(
                span["dur"].as_f64().is_some_and(|it| it >= 0.0) && span["ts"].as_f64().is_some(),
                "{span}"
            );
        }
        if count > 1 {
            let copies = spans(&trace, "copy");
            assert_eq!(copies.len(), 1, "{trace}");
            assert_eq!(copies[0]["args"]["bytes"], 8000);
            assert_eq!(copies[0]["args"]["at"], "Traced.x10:21");
            assert!(output.stderr.contains("message from Place(1)"), "{}", output.stderr);
        }
        assert!(output.stderr.contains("kernel Traced"), "{}", output.stderr);
        assert!(output.stderr.contains("activity main"), "{}", output.stderr);
    }
}
