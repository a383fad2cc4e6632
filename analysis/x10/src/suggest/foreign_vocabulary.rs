//! The table of foreign names: what X10 has for words of other languages, CUDA, MPI, OpenMP and older X10.
//!
//! It is used after name resolution has failed. Type names of older X10 and of Java, which imports need as
//! well, are in `scope`; foreign syntax, which the parser decides by token kinds before names are known, is
//! in the `recovery` folder of crate `apg-syntax`.

/// The method of X10's printers for another language's function that prints.
pub(crate) fn print_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "print" | "write" => "print",
        "printf" => "printf",
        "println" | "puts" | "echo" | "log" | "writeln" | "printLine" | "WriteLine" => "println",
        _ => return None,
    })
}

/// X10's names for a member of other libraries.
pub(crate) fn library_names(name: &str) -> impl Iterator<Item = &'static str> {
    const NAMES: &[(&str, &[&str])] = &[
        ("length", &["size"]),
        ("len", &["size", "length"]),
        ("count", &["size"]),
        ("size", &["length"]),
        ("push", &["add", "push"]),
        ("append", &["add"]),
        ("push_back", &["add"]),
        ("insert", &["add", "put"]),
        ("set", &["put"]),
        ("at", &["get"]),
        ("begin", &["iterator"]),
        ("getClass", &["typeName"]),
        ("contains", &["containsKey"]),
        ("has", &["contains", "containsKey"]),
        ("keys", &["keySet"]),
        ("substr", &["substring"]),
        ("slice", &["substring"]),
        ("toLower", &["toLowerCase"]),
        ("lower", &["toLowerCase"]),
        ("toUpper", &["toUpperCase"]),
        ("upper", &["toUpperCase"]),
        ("strip", &["trim"]),
    ];
    NAMES.iter().filter(move |(other, _)| *other == name).flat_map(|(_, ours)| ours.iter().copied())
}

/// X10's literal for another language's.
pub(crate) fn foreign_literal(name: &str) -> Option<&'static str> {
    Some(match name {
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        "None" | "nil" | "NULL" | "nullptr" | "undefined" => "null",
        _ => return None,
    })
}

/// X10's keyword for another language's statement.
pub(crate) fn x10_statement(name: &str) -> Option<&'static str> {
    Some(match name {
        "begin" | "spawn" | "go" | "task" | "launch" | "parallel" => "async",
        "on" => "at",
        "sync" | "join" | "cobegin" | "taskwait" => "finish",
        "elif" | "elsif" => "else if",
        "synchronized" | "critical" | "transaction" => "atomic",
        "loop" => "while",
        "match" | "select" => "switch",
        "except" | "rescue" => "catch",
        _ => return None,
    })
}

/// X10's function for another language's.
pub(crate) fn x10_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "__syncthreads" | "syncthreads" | "advance" => "Clock.advanceAll",
        "await" => "when",
        "numPlaces" | "numLocales" => "Place.numPlaces",
        _ => return None,
    })
}

/// X10's value or statement for a name without arguments.
pub(crate) fn x10_value(name: &str) -> Option<&'static str> {
    Some(match name {
        "numPlaces" | "numLocales" | "MAX_PLACES" => "Place.numPlaces()",
        "next" | "__syncthreads" => "Clock.advanceAll()",
        _ => return None,
    })
}

/// Whether a name is certainly foreign, whatever name in scope resembles it.
pub(crate) fn is_foreign(name: &str) -> bool {
    let of_libraries = ["__", "MPI_", "omp_", "cuda", "threadIdx", "blockIdx", "blockDim", "gridDim"];
    name == "numLocales"
        || of_libraries.iter().any(|it| name.starts_with(it)) && foreign_name_note(name).is_some()
}

/// A note about what X10 has in place of a function, variable or word of other languages and libraries.
pub(crate) fn foreign_name_note(name: &str) -> Option<&'static str> {
    Some(match name {
        "synchronized" | "critical" | "lock" => {
            "`atomic { ... }` keeps the other activities of its place away; `x10.util.concurrent.Lock` is a lock"
        }
        "Thread" => {
            "an activity is started by `async { ... }`, and waited for by a `finish` around it; `System.sleep(ms)` waits"
        }
        "cout" | "cerr" => "X10 prints by `Console.OUT.println(x)`",
        "loop" | "repeat" | "forever" => "write `while (true) { ... }`, which `break` leaves",
        "sizeof" => "types have no size that programs see; a rail of `n` elements is `new Rail[T](n)`",
        "delete" | "free" => "there is nothing to free: memory that nothing refers to is collected",
        "malloc" => "a rail of `n` elements is made by `new Rail[T](n)`, an object by `new C(...)`",
        "spawn" | "go" | "begin" => {
            "an activity is started by `async { ... }`, and waited for by a `finish` around it"
        }
        "cobegin" => "write an `async` before each statement, and `finish { ... }` around them",
        "sync" | "join" | "taskwait" => "`finish { ... }` waits for all activities started in it",
        "on" => "`at (p) { ... }` goes to the place `p`",
        "len" | "length" => "a rail has `r.size`; strings have `s.length()`, collections `c.size()`",
        "range" | "xrange" => "a range is written `0..(n-1)`, with both bounds in it",
        "using" | "with" => "write `try { ... } finally { x.close(); }`",
        "future" => "an activity has no value: let it assign to a variable, with a `finish` around it",
        "unless" => "write `if (!(...))`",
        "until" => "write `while (!(...))`",
        "typeof" | "type" => "`x.typeName()` is the name of the class of `x`; `x instanceof T` tests it",
        "threadIdx" => {
            "the thread is the variable of the inner loop: `clocked finish for (thread in 0n..(threads-1n)) clocked async { ... }`"
        }
        "blockIdx" => {
            "the block is the variable of the outer loop: `finish for (block in 0n..(blocks-1n)) async { ... }`"
        }
        "blockDim" | "gridDim" => {
            "the sizes of blocks and of the grid are the bounds of the kernel's two loops"
        }
        "__syncthreads" | "syncthreads" => "`Clock.advanceAll()` is the barrier of the threads of a block",
        "__threadfence" | "__threadfence_block" | "__threadfence_system" => {
            "`Fences.storeStoreBarrier()` of `x10.util.concurrent.Fences` and its like order what a thread reads and stores"
        }
        "__shfl_sync" | "__shfl_down_sync" | "__shfl_xor_sync" | "__ballot_sync" | "warpSize" => {
            "what the threads of a warp exchange is in `x10.util.CUDAWarp`"
        }
        _ if name.starts_with("atomic") && name.len() > 6 && name.as_bytes()[6].is_ascii_uppercase() => {
            "atomic changes of elements are in `x10.util.CUDAAtomic`: `CUDAAtomic.add(rail, index, value)`"
        }
        "cudaMalloc" | "cudaMallocManaged" => {
            "memory of a GPU is a `GlobalRail`: `CUDAUtilities.makeGlobalRail[T](gpu, n)`; what a kernel reads is sent by itself"
        }
        "cudaFree" => "memory of a GPU is given back by `CUDAUtilities.deleteGlobalRail(rail)`",
        "cudaMemcpy" | "cudaMemcpyAsync" => {
            "`finish Rail.asyncCopy(from, 0, to, 0, n)` copies between places"
        }
        "cudaDeviceSynchronize" | "cudaStreamSynchronize" => {
            "the `finish` around `async at (gpu) @CUDA { ... }` waits for the kernel"
        }
        "cudaGetDeviceCount" => {
            "the GPUs of a host are the places below it: `PlaceTopology.getTopology().numChildren(here)`"
        }
        "MPI_Init" | "MPI_Finalize" => "the places are there when `main` starts",
        "MPI_Comm_rank" => "`here.id` is the number of this place",
        "MPI_Comm_size" => "`Place.numPlaces()` is the number of places",
        "MPI_Send" | "MPI_Recv" | "MPI_Isend" | "MPI_Irecv" => {
            "`at (p) { ... }` takes along what it uses; `Rail.asyncCopy` copies parts of rails"
        }
        _ if name.starts_with("MPI_") => {
            "collectives are in `x10.util.Team`: `Team.WORLD.allreduce(...)`, `Team.WORLD.barrier()`"
        }
        "omp_get_thread_num" => {
            "activities have no number: give each one its part by the variable of the loop that starts it"
        }
        "omp_get_num_threads" | "omp_get_max_threads" => {
            "`Runtime.NTHREADS` of `x10.xrx` is the number of threads of a place"
        }
        "next" | "advance" => "`Clock.advanceAll()` waits for the other activities of all clocks of this one",
        "resume" => "`Clock.resumeAll()` lets the other activities of the clocks go on",
        "await" => "`when (c) { ... }` waits until `c` holds",
        "wait" | "waitAll" | "waitall" => {
            "`finish { ... }` waits for all activities started in it, `when (c) { ... }` until `c` holds"
        }
        "barrier" | "syncBlock" => {
            "`Clock.advanceAll()` is the barrier of the threads of a block and of the activities of a clock, `Team.WORLD.barrier()` that of places"
        }
        "GPU" | "Gpu" | "gpu" | "CUDADevice" | "cudaSetDevice" => {
            "the GPUs of a host are the places below it: `PlaceTopology.getTopology().getChild(here, 0)`"
        }
        "__shared__" => SHARED_MEMORY_NOTE,
        "__global__" | "__device__" | "__host__" => CUDA_ANNOTATION_NOTE,
        "numLocales" | "numPlaces" | "MAX_PLACES" => "`Place.numPlaces()` is the number of places",
        "Locales" => "`Place.places()` are the places",
        _ => return None,
    })
}

/// The replacement of a static member of older X10 or another library; `true` if it replaces the name of
/// the class, too.
pub(crate) fn x10_member(class: &str, name: &str) -> Option<(&'static str, bool)> {
    Some(match (class, name) {
        ("Place", "MAX_PLACES" | "NUM_PLACES") => ("numPlaces()", false),
        ("Place", "ALL_PLACES") => ("numAllPlaces()", false),
        ("Place", "place") => ("Place", true),
        ("PlaceGroup" | "Place", "WORLD" | "PLACES") => ("Place.places()", true),
        ("Dist", "UNIQUE") => ("makeUnique()", false),
        ("Dist", "block") => ("makeBlock", false),
        ("Clock", "next" | "advance") => ("advanceAll", false),
        ("Place", "next" | "prev") => (if name == "next" { "places().next" } else { "places().prev" }, false),
        ("Place", "id") => ("here.id", true),
        ("CUDABlock" | "CUDAWarp" | "CUDAUtilities", "barrier" | "sync" | "syncthreads") => {
            ("Clock.advanceAll", true)
        }
        ("CUDAUtilities", "makeRemoteArray" | "makeRemoteRail" | "makeCUDAArray" | "makeCUDARail") => {
            ("makeGlobalRail", false)
        }
        (
            "CUDAUtilities",
            "deleteRemoteArray" | "deleteRemoteRail" | "deleteCUDAArray" | "deleteCUDARail",
        ) => ("deleteGlobalRail", false),
        ("GlobalRail", "make") => ("CUDAUtilities.makeGlobalRail", true),
        ("Team", "SUM") => ("ADD", false),
        ("Team", "barrier") => ("WORLD.barrier", false),
        ("Team", "allreduce") => ("WORLD.allreduce", false),
        ("Team", "reduce") => ("WORLD.reduce", false),
        ("Team", "bcast") => ("WORLD.bcast", false),
        ("Team", "scatter") => ("WORLD.scatter", false),
        ("Team", "gather") => ("WORLD.gather", false),
        ("Team", "alltoall") => ("WORLD.alltoall", false),
        ("Team", "PROD" | "PRODUCT") => ("MUL", false),
        ("Int" | "Long" | "Double" | "Float", "parseInt" | "parseDouble" | "parseFloat") => ("parse", false),
        ("Int" | "Long" | "Double" | "Float", "MAX" | "max") => ("MAX_VALUE", false),
        ("System", "currentTimeMillis" | "time" | "now") => ("currentTimeMillis()", false),
        ("Math", "random") => ("new x10.util.Random().nextDouble", true),
        _ => return None,
    })
}

/// A note about a member of objects in older X10.
pub(crate) fn older_member_note(class: &str, name: &str) -> Option<&'static str> {
    Some(match (class, name) {
        ("Place", "next" | "prev") => {
            "X10 2.6 asks the places: `Place.places().next(p)`, `Place.places().prev(p)`"
        }
        ("Place", "children") => "X10 2.6 asks the topology: `PlaceTopology.getTopology().children(p)`",
        ("Place", "numChildren" | "child") => {
            "X10 2.6 asks the topology: `PlaceTopology.getTopology().numChildren(p)`, `.getChild(p, i)`"
        }
        ("String", "isEmpty") => "a text is empty if `s.length() == 0n`",
        ("Clock", "next" | "await" | "barrier" | "wait") => {
            "`c.advance()` waits for the other activities of a clock"
        }
        ("GlobalRef", "apply" | "get" | "deref") => "the object is `g()`, at the place where it lives",
        ("GlobalRail" | "Rail", "copyTo" | "copyFrom" | "copyToHost" | "toRail") => {
            "`finish Rail.asyncCopy(from, 0, to, 0, n)` copies between places, `Rail.copy(from, 0, to, 0, n)` at one"
        }
        ("Cell" | "Rail" | "GlobalRail" | "Array" | "String", "apply") => {
            "a value is read by a call: `x(i)`, or `x()` without an index"
        }
        ("Rail" | "GlobalRail" | "Array" | "Cell", "set") => {
            "a value is set by `x(i) = v`, or `x() = v` without an index"
        }
        ("Entry", "key" | "value" | "first" | "second") => {
            "an entry of a map has `getKey()` and `getValue()`"
        }
        ("GlobalRail", "delete" | "free" | "dispose" | "release") => {
            "memory that `CUDAUtilities.makeGlobalRail` made is given back by `CUDAUtilities.deleteGlobalRail(r)`; a rail of a host is let go by `r.forget()`"
        }
        ("Rail", "reduce" | "map" | "sort" | "scan") => {
            "rails are worked on by `x10.util.RailUtils`: `RailUtils.reduce(rail, f, zero)`"
        }
        _ => return None,
    })
}

/// Whether it is another language's annotation for device code, in place of `@CUDA`.
pub(crate) fn is_device_annotation(name: &str) -> bool {
    matches!(
        name.trim_matches('_'),
        "GPU" | "gpu" | "Gpu" | "device" | "Device" | "global" | "Global" | "kernel" | "Kernel" | "cuda"
    )
}

/// Whether it is another language's annotation for shared memory.
pub(crate) fn is_shared_annotation(name: &str) -> bool {
    matches!(name.trim_matches('_'), "Shared" | "shared" | "SharedMemory" | "local" | "Local")
}

/// How shared memory is made.
pub(crate) const SHARED_MEMORY_NOTE: &str = "shared memory is a rail made between the two loops of a kernel: \
                          `finish for (block in ...) async { val s = new Rail[T](n); clocked finish for (thread in ...) clocked async ... }`";
/// How code for devices is marked.
pub(crate) const CUDA_ANNOTATION_NOTE: &str = "code for devices is marked `@CUDA` (`x10.compiler.CUDA`): the body of an `at`, and functions that it calls";
