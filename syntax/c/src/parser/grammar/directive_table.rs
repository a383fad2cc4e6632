//! Directives and clauses of OpenMP 2.5 to 6.0, OpenACC 3.2 and XcalableMP 1.4, by name.

/// The specification that a directive belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// OpenMP, and its extensions `ompx`.
    OpenMp,
    /// OpenACC.
    OpenAcc,
    /// XcalableMP.
    XcalableMp,
}

/// What a directive is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Association {
    /// Nothing: it stands alone.
    None,
    /// The statement that follows: a loop or a block.
    Statement,
    /// The declaration that follows.
    Declaration,
}

/// How the argument of a clause is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// No argument, or any.
    Optional,
    /// Items: variables, sections, expressions; modifiers before a colon.
    Items,
    /// A word, then expressions.
    WordThenItems,
    /// Words of the specification.
    Words,
    /// Items, then modifiers after a colon.
    ItemsThenModifiers,
    /// Anything in brackets.
    Balanced,
    /// Context selectors; behind a colon a directive.
    Selectors,
    /// A directive.
    Variant,
}

use Association::{Declaration, None as Alone, Statement};
use Family::{OpenAcc, OpenMp, XcalableMp};

/// All directives. Combined ones are found by the longest match of their words.
#[rustfmt::skip]
const DIRECTIVES: &[(Family, &str, Association)] = &[
    (OpenMp, "accessible", Alone),
    (OpenMp, "allocate", Alone),
    (OpenMp, "allocators", Statement),
    (OpenMp, "assume", Statement),
    (OpenMp, "assumes", Alone),
    (OpenMp, "atomic", Statement),
    (OpenMp, "barrier", Alone),
    (OpenMp, "begin assumes", Alone),
    (OpenMp, "begin declare target", Alone),
    (OpenMp, "begin declare variant", Alone),
    (OpenMp, "begin metadirective", Statement),
    (OpenMp, "cancel", Alone),
    (OpenMp, "cancellation point", Alone),
    (OpenMp, "critical", Statement),
    (OpenMp, "declare mapper", Alone),
    (OpenMp, "declare reduction", Alone),
    (OpenMp, "declare simd", Declaration),
    (OpenMp, "declare target", Alone),
    (OpenMp, "declare variant", Declaration),
    (OpenMp, "depobj", Alone),
    (OpenMp, "dispatch", Statement),
    (OpenMp, "distribute", Statement),
    (OpenMp, "distribute parallel for", Statement),
    (OpenMp, "distribute parallel for simd", Statement),
    (OpenMp, "distribute simd", Statement),
    (OpenMp, "end assumes", Alone),
    (OpenMp, "end declare target", Alone),
    (OpenMp, "end declare variant", Alone),
    (OpenMp, "end metadirective", Alone),
    (OpenMp, "error", Alone),
    (OpenMp, "flush", Alone),
    (OpenMp, "for", Statement),
    (OpenMp, "for simd", Statement),
    (OpenMp, "fuse", Statement),
    (OpenMp, "groupprivate", Alone),
    (OpenMp, "interchange", Statement),
    (OpenMp, "interop", Alone),
    (OpenMp, "loop", Statement),
    (OpenMp, "masked", Statement),
    (OpenMp, "masked taskloop", Statement),
    (OpenMp, "masked taskloop simd", Statement),
    (OpenMp, "master", Statement),
    (OpenMp, "master taskloop", Statement),
    (OpenMp, "master taskloop simd", Statement),
    (OpenMp, "metadirective", Statement),
    (OpenMp, "nothing", Alone),
    (OpenMp, "ordered", Statement),
    (OpenMp, "parallel", Statement),
    (OpenMp, "parallel for", Statement),
    (OpenMp, "parallel for simd", Statement),
    (OpenMp, "parallel loop", Statement),
    (OpenMp, "parallel masked", Statement),
    (OpenMp, "parallel masked taskloop", Statement),
    (OpenMp, "parallel masked taskloop simd", Statement),
    (OpenMp, "parallel master", Statement),
    (OpenMp, "parallel master taskloop", Statement),
    (OpenMp, "parallel master taskloop simd", Statement),
    (OpenMp, "parallel sections", Statement),
    (OpenMp, "requires", Alone),
    (OpenMp, "reverse", Statement),
    (OpenMp, "scan", Alone),
    (OpenMp, "scope", Statement),
    (OpenMp, "section", Statement),
    (OpenMp, "sections", Statement),
    (OpenMp, "simd", Statement),
    (OpenMp, "split", Statement),
    (OpenMp, "stripe", Statement),
    (OpenMp, "single", Statement),
    (OpenMp, "target", Statement),
    (OpenMp, "target data", Statement),
    (OpenMp, "target enter data", Alone),
    (OpenMp, "target exit data", Alone),
    (OpenMp, "target loop", Statement),
    (OpenMp, "target parallel", Statement),
    (OpenMp, "target parallel for", Statement),
    (OpenMp, "target parallel for simd", Statement),
    (OpenMp, "target parallel loop", Statement),
    (OpenMp, "target simd", Statement),
    (OpenMp, "target teams", Statement),
    (OpenMp, "target teams distribute", Statement),
    (OpenMp, "target teams distribute parallel for", Statement),
    (OpenMp, "target teams distribute parallel for simd", Statement),
    (OpenMp, "target teams distribute simd", Statement),
    (OpenMp, "target teams loop", Statement),
    (OpenMp, "target update", Alone),
    (OpenMp, "task", Statement),
    (OpenMp, "task_iteration", Alone),
    (OpenMp, "taskgraph", Statement),
    (OpenMp, "taskgroup", Statement),
    (OpenMp, "taskloop", Statement),
    (OpenMp, "taskloop simd", Statement),
    (OpenMp, "taskwait", Alone),
    (OpenMp, "taskyield", Alone),
    (OpenMp, "teams", Statement),
    (OpenMp, "teams distribute", Statement),
    (OpenMp, "teams distribute parallel for", Statement),
    (OpenMp, "teams distribute parallel for simd", Statement),
    (OpenMp, "teams distribute simd", Statement),
    (OpenMp, "teams loop", Statement),
    (OpenMp, "threadprivate", Alone),
    (OpenMp, "tile", Statement),
    (OpenMp, "unroll", Statement),
    (OpenAcc, "atomic", Statement),
    (OpenAcc, "cache", Alone),
    (OpenAcc, "data", Statement),
    (OpenAcc, "declare", Alone),
    (OpenAcc, "enter data", Alone),
    (OpenAcc, "exit data", Alone),
    (OpenAcc, "host_data", Statement),
    (OpenAcc, "init", Alone),
    (OpenAcc, "kernels", Statement),
    (OpenAcc, "kernels loop", Statement),
    (OpenAcc, "loop", Statement),
    (OpenAcc, "parallel", Statement),
    (OpenAcc, "parallel loop", Statement),
    (OpenAcc, "routine", Declaration),
    (OpenAcc, "serial", Statement),
    (OpenAcc, "serial loop", Statement),
    (OpenAcc, "set", Alone),
    (OpenAcc, "shutdown", Alone),
    (OpenAcc, "update", Alone),
    (OpenAcc, "wait", Alone),
    (XcalableMp, "acc replicate", Statement),
    (XcalableMp, "acc replicate_sync", Alone),
    (XcalableMp, "align", Alone),
    (XcalableMp, "array", Statement),
    (XcalableMp, "barrier", Alone),
    (XcalableMp, "bcast", Alone),
    (XcalableMp, "coarray", Alone),
    (XcalableMp, "device", Alone),
    (XcalableMp, "distribute", Alone),
    (XcalableMp, "gmove", Statement),
    (XcalableMp, "image", Alone),
    (XcalableMp, "local_alias", Alone),
    (XcalableMp, "lock", Alone),
    (XcalableMp, "loop", Statement),
    (XcalableMp, "nodes", Alone),
    (XcalableMp, "post", Alone),
    (XcalableMp, "reduce_shadow", Alone),
    (XcalableMp, "reduction", Alone),
    (XcalableMp, "reflect", Alone),
    (XcalableMp, "reflect_do", Alone),
    (XcalableMp, "reflect_init", Alone),
    (XcalableMp, "save_desc", Alone),
    (XcalableMp, "shadow", Alone),
    (XcalableMp, "static_desc", Alone),
    (XcalableMp, "sync_all", Alone),
    (XcalableMp, "sync_image", Alone),
    (XcalableMp, "sync_images", Alone),
    (XcalableMp, "sync_images_all", Alone),
    (XcalableMp, "sync_memory", Alone),
    (XcalableMp, "task", Statement),
    (XcalableMp, "tasks", Statement),
    (XcalableMp, "template", Alone),
    (XcalableMp, "template_fix", Alone),
    (XcalableMp, "unlock", Alone),
    (XcalableMp, "wait", Alone),
    (XcalableMp, "wait_async", Alone),
];

/// Clauses of OpenMP whose argument is not a list of items with modifiers before a colon.
#[rustfmt::skip]
const OPENMP_SHAPES: &[(&str, Shape)] = &[
    ("adjust_args", Shape::Balanced),
    ("align", Shape::Items),
    ("aligned", Shape::ItemsThenModifiers),
    ("apply", Shape::Balanced),
    ("append_args", Shape::Balanced),
    ("at", Shape::Words),
    ("atomic_default_mem_order", Shape::Words),
    ("bind", Shape::Words),
    ("default", Shape::Words),
    ("defaultmap", Shape::Words),
    ("device_type", Shape::Words),
    ("dist_schedule", Shape::WordThenItems),
    ("initializer", Shape::Items),
    ("linear", Shape::ItemsThenModifiers),
    ("match", Shape::Selectors),
    ("order", Shape::Words),
    ("otherwise", Shape::Variant),
    ("proc_bind", Shape::Words),
    ("schedule", Shape::WordThenItems),
    ("severity", Shape::Words),
    ("uses_allocators", Shape::Balanced),
    ("when", Shape::Selectors),
];

/// Clauses of OpenMP with a list of items.
#[rustfmt::skip]
const OPENMP_ITEMS: &[&str] = &[
    "affinity", "allocate", "allocator", "collapse", "copyin", "copyprivate", "depend", "destroy", "detach", "device",
    "doacross", "enter", "exclusive", "fail", "filter", "final", "firstprivate", "from", "full", "grainsize",
    "has_device_addr", "hint", "holds", "if", "in_reduction", "inclusive", "init", "is_device_ptr", "lastprivate", "link",
    "map", "message", "nocontext", "nontemporal", "novariants", "num_tasks", "num_teams", "num_threads", "ordered",
    "partial", "permutation", "priority", "private", "reduction", "safelen", "shared", "simdlen", "sizes",
    "task_reduction", "thread_limit", "to", "uniform", "update", "use", "use_device_addr", "use_device_ptr",
    "absent", "contains", "counts", "graph_id", "graph_reset", "indirect", "induction", "local", "looprange", "memscope",
    "replayable", "safesync", "threadset", "transparent",
];

/// Clauses without an argument.
#[rustfmt::skip]
const OPENMP_FLAGS: &[&str] = &[
    "acq_rel", "acquire", "capture", "compare", "dynamic_allocators", "inbranch", "mergeable", "no_openmp",
    "no_openmp_routines", "no_parallelism", "nogroup", "notinbranch", "nowait", "read", "relaxed", "release",
    "reverse_offload", "seq_cst", "simd", "threads", "unified_address", "unified_shared_memory", "untied", "weak", "write",
    // The constructs that `cancel` names.
    "parallel", "for", "sections", "taskgroup",
];

#[rustfmt::skip]
const OPENACC_CLAUSES: &[&str] = &[
    "async", "attach", "auto", "bind", "capture", "capture", "collapse", "copy", "copyin", "copyout", "create", "default",
    "default_async", "delete", "detach", "device", "device_num", "device_resident", "device_type", "deviceptr", "dtype",
    "finalize", "firstprivate", "gang", "host", "if", "if_present", "independent", "link", "no_create", "nohost",
    "num_gangs", "num_workers", "pcopy", "pcopyin", "pcopyout", "pcreate", "present", "present_or_copy",
    "present_or_copyin", "present_or_copyout", "present_or_create", "private", "read", "reduction", "self", "seq", "tile",
    "update", "use_device", "vector", "vector_length", "wait", "worker", "write", "acc_wait",
    // XcalableACC.
    "on_device", "layout", "shadow",
];

#[rustfmt::skip]
const XCALABLEMP_CLAUSES: &[&str] = &[
    "acc", "acc_or_host", "async", "device", "expand", "firstprivate", "from", "host", "in", "margin", "nocomm", "num_threads",
    "on", "onto", "orthogonal", "out", "peel_and_wait", "periodic", "private", "profile", "reduction", "shared", "to",
    "width", "with",
];

/// The directive whose words are the longest start of `words`: how many words, and what it is about.
pub(crate) fn find(family: Family, words: &[&str]) -> Option<(usize, Association)> {
    let mut best = None;
    for (of, name, association) in DIRECTIVES {
        let count = name.split(' ').count();
        let fits = *of == family && name.split(' ').zip(words).filter(|(a, b)| a == *b).count() == count;
        if fits && best.is_none_or(|(longest, _)| count > longest) {
            best = Some((count, *association));
        }
    }
    best
}

/// The directives of a family.
pub fn directives(family: Family) -> impl Iterator<Item = &'static str> {
    DIRECTIVES.iter().filter(move |it| it.0 == family).map(|it| it.1)
}

/// The clauses of a family.
pub fn clauses(family: Family) -> impl Iterator<Item = &'static str> {
    let (items, flags, shapes): (&[&str], &[&str], &[(&str, Shape)]) = match family {
        OpenMp => (OPENMP_ITEMS, OPENMP_FLAGS, OPENMP_SHAPES),
        OpenAcc => (OPENACC_CLAUSES, &[], &[]),
        XcalableMp => (XCALABLEMP_CLAUSES, &[], &[]),
    };
    items.iter().chain(flags).copied().chain(shapes.iter().map(|it| it.0))
}

/// How the argument of a clause is written; `None` if the family has no such clause.
pub(crate) fn shape(family: Family, name: &str) -> Option<Shape> {
    if family == OpenMp {
        if let Some((_, shape)) = OPENMP_SHAPES.iter().find(|it| it.0 == name) {
            return Some(*shape);
        }
        // Extensions of compilers, as `ompx_bare`.
        if name.starts_with("ompx_") || name.starts_with("ext_") || OPENMP_FLAGS.contains(&name) {
            return Some(Shape::Optional);
        }
        return OPENMP_ITEMS.contains(&name).then_some(Shape::Items);
    }
    let known = clauses(family).any(|it| it == name);
    let shape = match name {
        "default" | "device_type" | "dtype" => Shape::Words,
        "layout" | "shadow" if family == OpenAcc => Shape::Balanced,
        _ => Shape::Items,
    };
    known.then_some(shape)
}
