//! `apg run --profile FILE`: a trace that tools read, with what the program did at every place, and a
//! summary.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;
use serde_json::{Value, json};

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

/// Two sends to an activity of the last place, by `recv` and by `asyncRecv` and `wait`, a send to a block of
/// a kernel, and a barrier of two activities.
const SLOTS: &str = "import x10.compiler.CUDA;
import x10.util.*;
public class Messages {
    public static def main(args:Rail[String]) {
        val group = SlotGroup.make(2, 1);
        val last = Place(Place.numPlaces() - 1);
        val other = group.activities(last)(1);
        val me = group.activities(here)(0);
        val place = SlotGroup.kernelPlaces(here)(0);
        val blocks = group.blocks(place);
        finish {
            at (last) async {
                val data = new Rail[Long](2000);
                System.sleep(20);
                other.recv(0, data, 0, 2000);
                val begun = other.asyncRecv(Slot.ANY_SOURCE, data, 0, 2000, 7n);
                other.wait(begun);
                other.among(0, 2, other.rank).barrier();
            }
            async at (place) @CUDA {
                finish for (block in 0n..0n) async {
                    val room = new Rail[Long](1, 0);
                    clocked finish for (thread in 0n..31n) clocked async {
                        blocks(block).recv(0, room, 0, 1);
                    }
                }
            }
            val data = new Rail[Long](2000);
            me.send(other.rank, data, 0, 2000);
            me.send(other.rank, data, 0, 10, 7n);
            me.send(blocks.firstRank(), data, 0, 1);
            me.among(0, 2, other.rank).barrier();
        }
        group.delete();
        Console.OUT.println(7);
        throw new Exception(\"the profile is written all the same\");
    }
}
";

fn run(name: &str, program: &str, places: &str) -> (Value, Output) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(name), program).expect("written");
    let mut command = Command::new(tools::apg());
    command.current_dir(folder.path()).args(["run", name, "--profile", "trace.json", "--accels", "none"]);
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
        let (trace, output) = run("Traced.x10", PROGRAM, places);
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

/// The events at one end of arrows, by their numbers.
fn arrow_ends<'a>(trace: &'a Value, phase: &str) -> BTreeMap<&'a str, &'a Value> {
    let events = trace["traceEvents"].as_array().expect("events");
    let ends = events.iter().filter(|it| it["ph"] == phase && it["cat"] == "message");
    ends.map(|it| (it["id"].as_str().expect("a number"), it)).collect()
}

/// The span of a row during which an end of an arrow lies.
fn span_around<'a>(spans: &[&'a Value], end: &Value) -> &'a Value {
    let time = |value: &Value| value.as_f64().expect("microseconds");
    let is_it = |span: &&&Value| {
        let (begin, at) = (time(&span["ts"]), time(&end["ts"]));
        (&span["pid"], &span["tid"]) == (&end["pid"], &end["tid"])
            && begin <= at
            && at < begin + time(&span["dur"])
    };
    spans.iter().find(is_it).unwrap_or_else(|| panic!("no call around {end}"))
}

#[test]
fn messages_of_slots_lead_from_sends_to_calls_that_wait() {
    for places in ["1", "2"] {
        let (trace, output) = run("Messages.x10", SLOTS, places);
        let calls = spans(&trace, "slot");
        let other = if places == "1" { 1 } else { 4 };
        let (begins, ends) = (arrow_ends(&trace, "s"), arrow_ends(&trace, "f"));
        assert_eq!((begins.len(), ends.len()), (3, 3), "{trace}");
        let mut arrows: Vec<_> = begins
            .iter()
            .map(|(number, begin)| (span_around(&calls, begin), span_around(&calls, ends[number])))
            .map(|(from, to)| {
                assert_eq!(
                    (&from["name"], &from["args"]["slot"], &to["args"]["from"]),
                    (&json!("send"), &json!(0), &json!(0))
                );
                assert_eq!(from["args"]["bytes"], to["args"]["bytes"]);
                assert_eq!(from["args"]["to"], to["args"]["slot"]);
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let bytes = from["args"]["bytes"].as_u64().expect("bytes");
                (bytes, text(&to["name"]), text(&from["args"]["at"]), text(&to["args"]["at"]))
            })
            .collect();
        arrows.sort();
        let arrow = |bytes, call: &str, lines: [u32; 2]| {
            let [from, to] = lines.map(|line| format!("Messages.x10:{line}"));
            (bytes, call.to_owned(), from, to)
        };
        let expected =
            [arrow(8, "recv", [31, 24]), arrow(80, "wait", [30, 17]), arrow(16_000, "recv", [29, 15])];
        assert_eq!(arrows, expected);
        let barriers = calls.iter().filter(|it| it["name"] == "barrier");
        let mut slots: Vec<_> = barriers.map(|it| it["args"]["slot"].as_i64()).collect();
        slots.sort();
        assert_eq!(slots, [Some(0), Some(other)]);
        for row in ["slot send", "slot recv", "slot wait", "slot barrier"] {
            assert!(output.stderr.contains(row), "{row}: {}", output.stderr);
        }
    }
}
