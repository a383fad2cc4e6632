//! Prints the C header: the hand-written part is `apg_template.h`, the rest comes from the list of entries.

use std::fmt::Write;

use super::{ENTRIES, Entry, ExceptionKind, Ty, VERSION};
use crate::apgas::place_local;

/// The text of `runtime/include/apg.h`.
pub fn generate() -> String {
    let mut exceptions = String::new();
    for kind in ExceptionKind::ALL {
        let _ = writeln!(exceptions, "  {}, /* {} */", kind.c_name(), kind.class());
    }
    let table: String = ENTRIES.iter().map(field).collect();
    let wrappers: String = ENTRIES.iter().map(wrapper).collect();
    include_str!("apg_template.h")
        .replace("@VERSION@", &VERSION.to_string())
        .replace("@STACK@", &crate::scheduler::STACK_BYTES.to_string())
        .replace("@LOCAL_BITS@", &place_local::COUNTER_BITS.to_string())
        .replace("@LOCALS_PLACES@", &place_local::MAX_TABLE_PLACES.to_string())
        .replace("@LOCALS_EACH@", &place_local::MAX_TABLE_NUMBERS.to_string())
        .replace("@RESERVE@", &crate::scheduler::STACK_RESERVE.to_string())
        .replace("@EXCEPTIONS@\n", &exceptions)
        .replace("@TABLE@\n", &table)
        .replace("@WRAPPERS@\n", &wrappers)
}

/// `type name`, with the space where C wants it.
fn declare(ty: Ty, name: &str) -> String {
    let c = ty.c();
    if c.ends_with('*') { format!("{c}{name}") } else { format!("{c} {name}") }
}

fn parameters(entry: &Entry) -> Vec<String> {
    entry.params.iter().map(|(name, ty)| declare(*ty, name)).collect()
}

fn list(parameters: &[String]) -> String {
    if parameters.is_empty() { "void".into() } else { parameters.join(", ") }
}

/// The field of the table.
fn field(entry: &Entry) -> String {
    let mut params = parameters(entry);
    let result = if entry.raises {
        if entry.result != Ty::Void {
            params.push(declare(Ty::Pointer(pointer_to(entry.result)), "out"));
        }
        Ty::Ref
    } else {
        entry.result
    };
    format!("  {};\n", declare(result, &format!("(*{})({})", entry.name, list(&params))))
}

/// The C type of an out parameter.
fn pointer_to(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "bool *",
        Ty::I8 => "apg_i8 *",
        Ty::I16 => "apg_i16 *",
        Ty::I32 => "apg_i32 *",
        Ty::I64 => "apg_i64 *",
        Ty::U8 => "apg_u8 *",
        Ty::U16 => "apg_u16 *",
        Ty::U32 => "apg_u32 *",
        Ty::U64 => "apg_u64 *",
        Ty::F32 => "float *",
        Ty::F64 => "double *",
        Ty::Char => "apg_char *",
        Ty::Ref => "apg_object **",
        Ty::Void | Ty::Pointer(_) => "void **",
    }
}

/// The inline function that generated code calls.
fn wrapper(entry: &Entry) -> String {
    let mut args: Vec<&str> = entry.params.iter().map(|(name, _)| *name).collect();
    let params = parameters(entry).join(", ");
    // Not inlined, so that the compiler sees from the attribute that nothing else refers to the new object.
    let storage = if entry.name.starts_with("allocate") {
        "__attribute__((malloc, returns_nonnull, noinline)) static"
    } else {
        "static inline"
    };
    let head = format!(
        "/* {} */\n{storage} {}",
        entry.doc.trim(),
        declare(entry.result, &format!("apg_{}({params})", entry.name))
    );
    let name = entry.name;
    match (entry.raises, entry.result) {
        (false, Ty::Void) => format!("{head} {{ apg_rt->{name}({}); }}\n", args.join(", ")),
        (false, _) => format!("{head} {{ return apg_rt->{name}({}); }}\n", args.join(", ")),
        (true, Ty::Void) => {
            format!("{head} {{ if (apg_object *e = apg_rt->{name}({})) apg_raised(e); }}\n", args.join(", "))
        }
        (true, result) => {
            args.push("&out");
            let out = declare(result, "out");
            format!(
                "{head} {{ {out}; if (apg_object *e = apg_rt->{name}({})) apg_raised(e); return out; }}\n",
                args.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE=1 cargo test -p apg-runtime header` writes the file anew.
    #[test]
    fn header_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/include/apg.h");
        let expected = generate();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(path, &expected).expect("include/apg.h can be written");
        }
        let found = std::fs::read_to_string(path).expect("include/apg.h can be read");
        assert!(found == expected, "include/apg.h is stale: run `UPDATE=1 cargo test -p apg-runtime header`");
    }

    #[test]
    fn entry_names_are_unique() {
        let mut names: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
