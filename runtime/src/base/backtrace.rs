//! Stack traces of X10 code: return addresses when an exception is made, names and lines when it is printed.
//!
//! The compiler leaves line tables (DWARF) in the program's object that speak of `.x10` files; they are read
//! when the first trace is printed. Frames are found by the unwinder that Rust and C++ raise with.

use std::ffi::c_void;
use std::path::Path;

use addr2line::Loader;

use crate::base::program_image;

/// Frames that a walk over the stack looks at, at most.
const MAX_FRAMES: usize = 128;

/// In a trace, in place of frames that had no room.
pub(crate) const OMITTED_FRAMES: i64 = -1;

/// The caller's frames in the program, innermost first.
pub(crate) fn own_frames() -> Vec<i64> {
    let mut frames = Vec::with_capacity(MAX_FRAMES);
    visit_frames(&mut |offset| {
        frames.push(offset);
        true
    });
    frames
}

/// The state of a walk over the stack: frames so far, and the visitor of those in the program, as long as it
/// wants more.
struct Walk<'a> {
    count: usize,
    visit: &'a mut dyn FnMut(i64) -> bool,
}

// The unwinder that Rust and C++ raise with.
unsafe extern "C" {
    fn _Unwind_Backtrace(
        step: unsafe extern "C" fn(*mut c_void, *mut c_void) -> i32,
        argument: *mut c_void,
    ) -> i32;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// Shows frames of the caller in the program, innermost first, until `visit` says that it is enough. To find
/// a frame costs much more than to look at it: no more are looked for.
pub(crate) fn visit_frames(visit: &mut dyn FnMut(i64) -> bool) {
    unsafe extern "C" fn step(context: *mut c_void, walk: *mut c_void) -> i32 {
        /// Go on, and the answer that ends the walk.
        const NEXT: i32 = 0;
        const END: i32 = 5;
        // SAFETY: the unwinder passes its context, and what it was given.
        let (address, walk) = unsafe { (_Unwind_GetIP(context), &mut *walk.cast::<Walk<'_>>()) };
        walk.count += 1;
        let wants_more = program_image::offset_of(address).is_none_or(|offset| (walk.visit)(offset as i64));
        if wants_more && walk.count < MAX_FRAMES { NEXT } else { END }
    }
    let mut walk = Walk { count: 0, visit };
    // SAFETY: the callback gets what it expects, and unwinds nothing.
    unsafe { _Unwind_Backtrace(step, (&raw mut walk).cast()) };
}

/// The lines of an exception's trace, innermost first.
pub(crate) fn trace(frames: &[i64]) -> Vec<String> {
    let mut calls = merge_outlined(frames.iter().flat_map(|frame| calls(*frame)).collect());
    // The making of the exception itself: constructors, up to where the object was made.
    if calls.first().is_some_and(Call::makes_object)
        && let Some(made) = calls.iter().position(Call::is_new)
    {
        calls.drain(..=made);
    }
    calls.iter().filter(|call| !call.is_synthetic()).map(Call::to_string).collect()
}

/// Without the calls by which a function runs a part of it that the compiler has outlined.
fn merge_outlined(calls: Vec<Call>) -> Vec<Call> {
    let mut whole: Vec<Call> = Vec::new();
    for call in calls {
        match whole.last_mut().filter(|inner| inner.is_part && inner.name == call.name) {
            Some(inner) => inner.is_part = call.is_part,
            None => whole.push(call),
        }
    }
    whole
}

/// Lines with repetitions, as of endless recursion, shown once.
pub(crate) fn brief_lines(lines: Vec<String>) -> Vec<String> {
    /// Lines that are repeated together, at most.
    const MAX_PERIOD_LINES: usize = 4;
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let times = |length: usize| {
            let first = &lines[at..(at + length).min(lines.len())];
            lines[at..].chunks_exact(length).take_while(|chunk| *chunk == first).count()
        };
        let repeated =
            (1..=MAX_PERIOD_LINES).map(|length| (length, times(length))).find(|(_, times)| *times > 3);
        let (length, times) = repeated.unwrap_or((1, 1));
        out.extend_from_slice(&lines[at..at + length]);
        match (length, times) {
            (_, 1) => {}
            (1, _) => out.push(format!("... the same {} more times", times - 1)),
            _ => out.push(format!("... these {length} lines {} more times", times - 1)),
        }
        at += length * times;
    }
    out
}

/// A call in X10 code.
struct Call {
    name: String,
    line: Option<(String, u32)>,
    /// Of a part of the function, which the function itself calls.
    is_part: bool,
}

impl Call {
    /// A constructor, or what makes an object and calls one.
    fn makes_object(&self) -> bool {
        self.name.ends_with(".this") || self.is_new()
    }

    /// Code without a source.
    fn is_synthetic(&self) -> bool {
        self.is_new() || self.name == "function.adapter"
    }

    fn is_new(&self) -> bool {
        self.name.starts_with("new.")
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.line {
            Some((file, line)) => write!(f, "{} ({file}:{line})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// `Class.method (File.x10:line)` of a return address in the program; `None` for what is not X10 code.
pub(crate) fn describe(frame: i64) -> Option<String> {
    described(frame).next()
}

/// The same of all calls there: of the function, and before it of those that the C++ compiler put in their
/// place, innermost first.
pub(crate) fn described(frame: i64) -> impl Iterator<Item = String> {
    calls(frame).into_iter().filter(|call| !call.is_new()).map(|call| call.to_string())
}

/// The calls at a return address in the program: of the function, and of those that the C++ compiler put in
/// their place, innermost first.
fn calls(frame: i64) -> Vec<Call> {
    if frame == OMITTED_FRAMES {
        return vec![Call { name: "... frames left out".to_owned(), line: None, is_part: false }];
    }
    if program_image::address_of(frame).is_none() {
        return Vec::new();
    }
    program_image::with_line_tables(|loader| calls_in(loader, frame)).unwrap_or_default()
}

/// The same with the line tables of the program.
fn calls_in(loader: &Loader, frame: i64) -> Vec<Call> {
    // The return address may be the first of the next line; the call is before it.
    let probe = frame as u64 - 1 + loader.relative_address_base();
    let mut calls = Vec::new();
    // Where it is inside of what has no X10 name: the C++ compiler's and our own helpers.
    let mut inside = None;
    if let Ok(mut frames) = loader.find_frames(probe) {
        while let Ok(Some(frame)) = frames.next() {
            let line = inside.take().or_else(|| x10_line(frame.location));
            let named = frame.function.and_then(|name| {
                let symbol = name.raw_name().ok()?;
                Some((readable(&symbol)?, is_part(&symbol)))
            });
            match named {
                Some((name, is_part)) => calls.push(Call { name, line, is_part }),
                None => inside = line,
            }
        }
    }
    // Line tables name no lambda expressions: symbols do.
    if let Some(symbol) = loader.find_symbol(probe)
        && let Some(name) = readable(symbol)
        && (calls.is_empty() || inside.is_some() && is_part(symbol))
    {
        calls.push(Call { name, line: inside, is_part: is_part(symbol) });
    }
    calls
}

/// A place in an `.x10` file.
fn x10_line(location: Option<addr2line::Location<'_>>) -> Option<(String, u32)> {
    let location = location?;
    let path = Path::new(location.file?);
    let is_x10 = path.extension().is_some_and(|extension| extension == "x10");
    is_x10.then(|| Some((path.file_name()?.to_string_lossy().into_owned(), location.line.unwrap_or(0))))?
}

/// Whether a symbol is that of a lambda expression in a function (`_ZZ20F_Main_main_0123abcd...`).
fn is_part(symbol: &str) -> bool {
    symbol.starts_with("_ZZ")
}

/// The X10 name in a C++ function's symbol (`_Z20F_Main_main_0123abcd...`) or name, or in that of a lambda
/// expression in it; `None` for what is no X10 function.
pub(crate) fn readable(symbol: &str) -> Option<String> {
    let plain = match symbol.strip_prefix("_Z") {
        Some(mangled) => {
            // Of lambda expressions: _ZZ. Of static functions: _ZL.
            let mangled = mangled.strip_prefix('Z').unwrap_or(mangled);
            let mangled = mangled.strip_prefix('L').unwrap_or(mangled);
            let digits = mangled.bytes().take_while(u8::is_ascii_digit).count();
            let length: usize = mangled[..digits].parse().ok()?;
            mangled.get(digits..digits + length)?
        }
        None => symbol,
    };
    if let Some(kernel) = plain.strip_prefix("run_K_") {
        return readable_kernel(kernel);
    }
    let (name, hash) = plain.strip_prefix("F_")?.rsplit_once('_')?;
    // The compiler writes `__` for `_`, and `_` for a dot.
    let dotted = name.split("__").map(|part| part.replace('_', ".")).collect::<Vec<_>>().join("_");
    (hash.len() == 8 && !name.is_empty()).then_some(dotted)
}

/// The method with a kernel, of `Main__run__12_0123abcd`, where 12 is its line. Names of kernels do not tell
/// underscores from dots; names of methods mostly have none.
fn readable_kernel(symbol: &str) -> Option<String> {
    let (name, hash) = symbol.rsplit_once('_')?;
    let (method, line) = name.rsplit_once("__")?;
    let is_line = !line.is_empty() && line.bytes().all(|it| it.is_ascii_digit());
    let (class, method) = method.rsplit_once("__")?;
    (hash.len() == 8 && is_line).then(|| format!("{}.{method}", class.replace("__", "_")))
}

#[cfg(test)]
mod tests {
    use super::{brief_lines, readable};

    #[test]
    fn symbols_of_kernels_give_the_method_around() {
        let symbol = "_ZL28run_K_Bad__main__11_9b7f5a5bILb1EEP10apg_objectPKvPK10apg_launchll";
        assert_eq!(readable(symbol).as_deref(), Some("Bad.main"));
        assert_eq!(readable("run_K_Bad__main__11_9b7f5a5b").as_deref(), Some("Bad.main"));
        assert_eq!(readable("run_K_two__words__f__3_9b7f5a5b").as_deref(), Some("two_words.f"));
        assert_eq!(readable("run_K_Bad"), None);
    }

    #[test]
    fn symbols_give_names() {
        assert_eq!(readable("_Z20F_Main_main_0123abcdP10apg_object").as_deref(), Some("Main.main"));
        assert_eq!(readable("_Z23F_two__words_f_0123abcdv").as_deref(), Some("two_words.f"));
        assert_eq!(readable("F_Main_main_0123abcd").as_deref(), Some("Main.main"));
        assert_eq!(readable("_ZL20F_Main_main_0123abcdP10apg_object").as_deref(), Some("Main.main"));
        assert_eq!(readable("_ZL20F_Main_main_0123abcdP10apg_object.isra.0").as_deref(), Some("Main.main"));
        let part = "_ZZ20F_Main_main_0123abcdP10apg_objectENKUlvE0_clEv";
        assert_eq!((readable(part).as_deref(), super::is_part(part)), (Some("Main.main"), true));
        assert_eq!(readable("_ZZL20F_Main_main_0123abcdvENKUlvE_clEv").as_deref(), Some("Main.main"));
        assert_eq!(readable("apg_call"), None);
        assert_eq!(readable("_Z3F_x"), None);
    }

    #[test]
    fn repeated_lines_are_counted() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(brief_lines(lines("a b b c")), lines("a b b c"));
        assert_eq!(brief_lines(lines("x a a a a b")), ["x", "a", "... the same 3 more times", "b"]);
        assert_eq!(
            brief_lines(lines("a b a b a b a b a c")),
            ["a", "b", "... these 2 lines 3 more times", "a", "c"]
        );
        assert_eq!(brief_lines(Vec::new()), Vec::<String>::new());
    }
}
