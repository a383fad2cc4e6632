//! The clauses of OpenACC's directives (OpenACC 3.3, chapter 2), for completion.

/// Clauses of data that the compute constructs and `data` have.
const DATA: &[&str] =
    &["attach", "copy", "copyin", "copyout", "create", "default", "deviceptr", "no_create", "present"];

/// Clauses of constructs that a device executes or that move data.
const QUEUE: &[&str] = &["async", "device_type", "if", "wait"];

/// The clauses of one word of a directive's name.
fn of_word(word: &str) -> &'static [&'static [&'static str]] {
    match word {
        "parallel" => &[
            QUEUE,
            DATA,
            &["firstprivate", "num_gangs", "num_workers", "private", "reduction", "self", "vector_length"],
        ],
        "serial" => &[QUEUE, DATA, &["firstprivate", "private", "reduction", "self"]],
        "kernels" => &[QUEUE, DATA, &["num_gangs", "num_workers", "self", "vector_length"]],
        "data" => &[QUEUE, DATA],
        "enter data" => &[&["async", "attach", "copyin", "create", "if", "wait"]],
        "exit data" => &[&["async", "copyout", "delete", "detach", "finalize", "if", "wait"]],
        "host_data" => &[&["if", "if_present", "use_device"]],
        "loop" => &[&[
            "auto",
            "collapse",
            "device_type",
            "gang",
            "independent",
            "private",
            "reduction",
            "seq",
            "tile",
            "vector",
            "worker",
        ]],
        "update" => &[QUEUE, &["device", "host", "if_present", "self"]],
        "wait" => &[&["async", "if"]],
        "init" | "shutdown" => &[&["device_num", "device_type", "if"]],
        "set" => &[&["default_async", "device_num", "device_type", "if"]],
        "routine" => &[&["bind", "device_type", "gang", "nohost", "seq", "vector", "worker"]],
        "atomic" => &[&["capture", "read", "update", "write"]],
        "declare" => {
            &[&["copy", "copyin", "copyout", "create", "device_resident", "deviceptr", "link", "present"]]
        }
        _ => &[],
    }
}

/// The clauses of a directive: those of each construct that a combined one consists of.
pub(super) fn clauses_of(directive: &str) -> impl Iterator<Item = &'static str> {
    let words: Vec<&str> = match directive {
        "enter data" | "exit data" => vec![directive],
        _ => directive.split(' ').collect(),
    };
    words.into_iter().flat_map(of_word).copied().flatten().copied()
}
