//! Foreign names: words of other languages, CUDA, MPI, OpenMP and older X10 that resolve to nothing, and
//! misspelt keywords.
//!
//! The parser has a table of its own for foreign syntax (`recovery` in crate `apg-syntax`): it decides by
//! token kinds, before names are known. This one is for code that parses, and is used after name resolution
//! has failed.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{TextRange, closest};

use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::infer::context::{Infer, range_of};
use crate::infer::suggest::foreign_members::replaced;
use crate::item_tree::source::{Item, item_source};
use crate::scope::{java, outdated_names};
use crate::ty::Ty;

/// Keywords before braces.
const BLOCK_KEYWORDS: &[&str] = &["async", "finish", "atomic", "else", "try", "do", "finally"];
/// Keywords before a parenthesis and braces.
const HEADED_KEYWORDS: &[&str] =
    &["else if", "if", "while", "for", "when", "switch", "at", "ateach", "catch"];

/// X10's keyword for another language's statement.
fn x10_statement(name: &str) -> Option<&'static str> {
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
fn x10_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "__syncthreads" | "syncthreads" | "advance" => "Clock.advanceAll",
        "await" => "when",
        "numPlaces" | "numLocales" => "Place.numPlaces",
        _ => return None,
    })
}

/// X10's value or statement for a name without arguments.
fn x10_value(name: &str) -> Option<&'static str> {
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
fn foreign_name_note(name: &str) -> Option<&'static str> {
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
        "__shared__" => crate::infer::suggest::cuda_names::SHARED_MEMORY_NOTE,
        "__global__" | "__device__" | "__host__" => crate::infer::suggest::cuda_names::CUDA_ANNOTATION_NOTE,
        "numLocales" | "numPlaces" | "MAX_PLACES" => "`Place.numPlaces()` is the number of places",
        "Locales" => "`Place.places()` are the places",
        _ => return None,
    })
}

/// The replacement of a static member of older X10 or another library; `true` if it replaces the name of
/// the class, too.
fn x10_member(class: &str, name: &str) -> Option<(&'static str, bool)> {
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
fn older_member_note(class: &str, name: &str) -> Option<&'static str> {
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

impl Infer<'_> {
    /// Suggests a statement for an unresolved call: another language's keyword, or a misspelt one.
    pub(crate) fn suggest_statement(
        &self,
        diagnostic: Diagnostic,
        name: &str,
        at: TextRange,
    ) -> Option<Diagnostic> {
        let words = match self.before_braces(at) {
            Some(true) => HEADED_KEYWORDS,
            Some(false) => BLOCK_KEYWORDS,
            None => &[],
        };
        let keyword = match words.is_empty() {
            true => None,
            // X10's statement may have another form: `atomic` has no head.
            false => match x10_statement(name) {
                Some(keyword) => words.contains(&keyword).then_some(keyword),
                None => closest(name, words.iter().copied()),
            },
        };
        let diagnostic = match (foreign_name_note(name), keyword) {
            (Some(note), _) => diagnostic.note(note),
            (None, Some(keyword)) => diagnostic.note(format!("did you mean the keyword `{keyword}`?")),
            (None, None) => return None,
        };
        if name == "cobegin" {
            return Some(match self.begun_at_once(at) {
                Some(fix) => diagnostic.fix(fix),
                None => diagnostic,
            });
        }
        Some(match keyword.or_else(|| x10_function(name)) {
            Some(instead) => replaced(diagnostic, at, instead.to_owned()),
            None => diagnostic,
        })
    }

    /// `finish { async a(); async b(); }` for `cobegin { a(); b(); }`.
    fn begun_at_once(&self, at: TextRange) -> Option<Fix> {
        let item = item_source(self.db, Item::from(self.owner));
        let root = item.as_ref()?.syntax();
        let name = apg_syntax::token_at_offset(&root, at.start()).right_biased()?;
        let block = name.parent_ancestors().find_map(ast::TrailingClosureStmt::cast)?.block()?;
        let stmts: Vec<ast::Stmt> = block.stmts().collect();
        use apg_syntax::SyntaxKind::{BREAK_STMT, CONTINUE_STMT, RETURN_STMT};
        let leaves =
            |it: apg_syntax::SyntaxNode| matches!(it.kind(), BREAK_STMT | CONTINUE_STMT | RETURN_STMT);
        let is_open = stmts.iter().any(|it| it.syntax().descendants().any(leaves));
        if is_open || block.tail().is_some() || stmts.iter().any(|it| matches!(it, ast::Stmt::LocalDecl(_))) {
            return None;
        }
        let edit = |range, text: &str| TextEdit { file: None, range, text: text.to_owned() };
        let mut edits = vec![edit(at, "finish")];
        edits.extend(stmts.iter().map(|it| edit(TextRange::empty(range_of(it).start()), "async ")));
        Some(Fix { title: "Write `finish`, and `async` before each statement".to_owned(), edits })
    }

    /// Suggests X10's value for another language's name.
    pub(crate) fn suggest_name(
        &self,
        diagnostic: Diagnostic,
        name: &str,
        at: TextRange,
    ) -> Option<Diagnostic> {
        let diagnostic = diagnostic.note(
            foreign_name_note(name)
                .or_else(|| outdated_names::type_advice(name))
                .or_else(|| java::advice(name))?,
        );
        let known = x10_value(name).map(|text| (at, text.to_owned()));
        Some(match self.kernel_index(name, at).or(known) {
            Some((range, text)) => replaced(diagnostic, range, text),
            None => diagnostic,
        })
    }

    /// Whether the name at `at` is followed by braces like a statement; `true` if a parenthesis is between.
    fn before_braces(&self, at: TextRange) -> Option<bool> {
        let item = item_source(self.db, Item::from(self.owner));
        let root = item.as_ref()?.syntax();
        let name = apg_syntax::token_at_offset(&root, at.start()).right_biased()?;
        let call = name.parent_ancestors().find_map(ast::TrailingClosureStmt::cast)?;
        (range_of(&call.callee()?) == at).then(|| call.arg_list().is_some())
    }

    /// `Place.places().next(p)` for `p.next()`, `!p.isCUDA()` for `p.isHost()`.
    fn suggest_place_query(&self, class: &str, name: &str, at: TextRange) -> Option<(TextRange, String)> {
        if class != "Place" || !matches!(name, "next" | "prev" | "isHost") {
            return None;
        }
        let item = item_source(self.db, Item::from(self.owner));
        let root = item.as_ref()?.syntax();
        let token = apg_syntax::token_at_offset(&root, at.start()).right_biased()?;
        let call = token.parent_ancestors().find_map(ast::CallExpr::cast)?;
        let Some(ast::Expr::FieldExpr(selected)) = call.callee() else { return None };
        if range_of(&selected.name_ref()?) != at || call.args().next().is_some() {
            return None;
        }
        let place = selected.receiver()?.syntax().text().to_string();
        let place = place.trim();
        let text = match name {
            "isHost" => format!("!{place}.isCUDA()"),
            _ => format!("Place.places().{name}({place})"),
        };
        Some((range_of(&call), text))
    }

    /// Suggests X10's member for that of older X10 or another language.
    pub(crate) fn suggest_member(
        &self,
        diagnostic: &Diagnostic,
        ty: Ty,
        name: &str,
        at: TextRange,
        is_static: bool,
    ) -> Option<Diagnostic> {
        let (class, _) = ty.as_class(self.db)?;
        let class = class.name(self.db).as_str();
        if let Some(note) = older_member_note(class, name)
            .or_else(|| outdated_names::member_advice(class, name))
            .filter(|_| !is_static)
        {
            let diagnostic = diagnostic.clone().note(note);
            return Some(match self.suggest_place_query(class, name, at) {
                Some((range, text)) => replaced(diagnostic, range, text),
                None => diagnostic,
            });
        }
        let advice = outdated_names::static_advice(class, name).or_else(|| java::member_advice(class, name));
        if let Some(advice) = advice.filter(|_| is_static) {
            return Some(diagnostic.clone().note(advice));
        }
        let (text, with_class) = x10_member(class, name).filter(|_| is_static)?;
        let is_called = self.is_called(at);
        if is_called && text == "MAX_VALUE" {
            return None;
        }
        let text = text.strip_suffix("()").filter(|_| is_called).unwrap_or(text);
        let note = match with_class {
            true => format!("X10 2.6 writes `{text}`"),
            false => format!("X10 2.6 writes `{class}.{text}`"),
        };
        let diagnostic = diagnostic.clone().note(note);
        let range = match with_class {
            true => {
                let prefix = format!("{class}.");
                let start = at.start().checked_sub(apg_syntax::TextSize::of(prefix.as_str()))?;
                let whole = TextRange::new(start, at.end());
                if self.source(whole).is_none_or(|it| !it.starts_with(&prefix)) {
                    return Some(diagnostic);
                }
                whole
            }
            false => at,
        };
        Some(replaced(diagnostic, range, text.to_owned()))
    }
}
