//! Code locations of profile spans: recorded as offsets in the program image, and symbolized to
//! `Class.method` and `File.x10:line` when the profile is written.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;
use std::path::Path;

use crate::base::{backtrace, program_image};
use crate::class_library;
use crate::heap::Ref;
use crate::layout::CLOSURE_APPLY;

/// Maximum number of frames that are recorded: frames of the class library precede those of the program.
const FRAMES: usize = 6;

/// Location in the program that a span is attributed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Code {
    /// Not known.
    #[default]
    Unknown,
    /// The program's `main`.
    Main,
    /// A function, by its offset in the program image.
    Function(i64),
    /// Return addresses, as offsets in the program image, innermost first; unused entries are 0.
    Frames([i64; FRAMES]),
    /// A line of one of the program's files, by the number of the file.
    Line {
        /// The file.
        file: u32,
        /// 1-based.
        line: u32,
    },
    /// A line of a file of a program in C.
    Source {
        /// The file.
        file: &'static CStr,
        /// 1-based.
        line: u32,
    },
}

impl Code {
    /// The function that a closure calls.
    pub fn of_closure(closure: Ref) -> Code {
        if closure.is_null() {
            return Code::Unknown;
        }
        let ty = closure.ty();
        if ty.vtable_length <= CLOSURE_APPLY {
            return Code::Unknown;
        }
        // SAFETY: an entry of the type's table.
        let function = unsafe { *ty.vtable.as_ptr().add(CLOSURE_APPLY as usize) };
        match program_image::offset_of(function as usize) {
            Some(offset) => Code::Function(offset as i64),
            None => Code::Unknown,
        }
    }

    /// The program's frames that called the runtime.
    pub fn of_caller() -> Code {
        let mut frames = [0; FRAMES];
        for (frame, found) in frames.iter_mut().zip(backtrace::own_frames()) {
            *frame = found;
        }
        Code::Frames(frames)
    }
}

/// Symbolizes [`Code`], and caches the names.
#[derive(Default)]
pub(super) struct Namer {
    known: HashMap<Code, (String, String)>,
    library: HashSet<String>,
}

impl Namer {
    /// Lists the class library's files, to tell its frames from the program's.
    pub(super) fn new() -> Namer {
        let files = class_library::files();
        let name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
        let library = files.into_iter().filter_map(|(path, _)| name(path)).collect();
        Namer { known: HashMap::new(), library }
    }

    /// The name `Class.method` and the position `File.x10:line` of the code. Both may be empty.
    pub(super) fn name(&mut self, code: Code) -> (String, String) {
        if let Some(known) = self.known.get(&code) {
            return known.clone();
        }
        let found = match code {
            Code::Unknown => Default::default(),
            Code::Main => ("main".to_owned(), String::new()),
            // After the first instruction, which is attributed to the line of the function's head.
            Code::Function(offset) => backtrace::describe(offset + 2).map(split).unwrap_or_default(),
            Code::Frames(frames) => self.caller(&frames),
            Code::Line { file, line } => {
                let file = crate::program::file(file);
                (String::new(), place(&file, line))
            }
            Code::Source { file, line } => (String::new(), place(&file.to_string_lossy(), line)),
        };
        self.known.insert(code, found.clone());
        found
    }

    /// The innermost frame outside of the class library.
    fn caller(&self, frames: &[i64]) -> (String, String) {
        let frames = frames.iter().filter(|it| **it != 0);
        let all = frames.flat_map(|it| backtrace::described(*it)).map(split);
        let mut last = Default::default();
        for found in all {
            let file = found.1.split(':').next().unwrap_or("");
            if !self.library.contains(file) {
                return found;
            }
            last = found;
        }
        last
    }
}

/// A line of a file, without the folders of that.
fn place(file: &str, line: u32) -> String {
    let name = file.rsplit('/').next().unwrap_or_default();
    format!("{name}:{line}")
}

/// Splits `Class.method$closure (File.x10:3)` into name and position, and removes the suffixes that the
/// compiler has added to the name.
fn split(text: String) -> (String, String) {
    let (name, place) = match text.rsplit_once(" (") {
        Some((name, place)) => (name, place.trim_end_matches(')')),
        None => (text.as_str(), ""),
    };
    let name = name.split(['$', '#']).next().unwrap_or(name);
    (name.trim_end_matches(".closure").to_owned(), place.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_lose_the_marks_of_the_compiler() {
        let found = super::split("Main.run$closure (Main.x10:12)".into());
        assert_eq!(found, ("Main.run".to_owned(), "Main.x10:12".to_owned()));
        assert_eq!(super::split("Main.run".into()), ("Main.run".to_owned(), String::new()));
    }
}
