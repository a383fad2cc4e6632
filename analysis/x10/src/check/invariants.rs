//! Tests of the architecture's invariants on queries: an edit inside a body invalidates nothing outside of
//! it, and a panic in a query becomes a diagnostic.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::check::{code_of, file_diagnostics, guarded, prepare};
use crate::db::Db;
use crate::fixture::library_files;
use crate::host::{AnalysisHost, Program};

/// A host that records executed queries.
struct RecordingHost {
    host: AnalysisHost,
    executed: Arc<Mutex<Vec<String>>>,
}

const CALLER: &str = "
class Caller {
    static def run(shape:Shape) = shape.area() + Shape.unit();
}
";

const SHAPE: &str = "
class Shape(side:Long) {
    static val LIMIT = 10;
    def area() = side * side;
    static def unit() = 1;
    def scaled(factor:Long):Shape { return new Shape(side * factor); }
    class Part { def whole() = 2 * side; }
}
";

impl RecordingHost {
    fn new(files: &[(&str, &str)]) -> RecordingHost {
        let executed: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = executed.clone();
        let watch = move |event: salsa::Event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                log.lock().expect("no panic while it is held").push(format!("{database_key:?}"));
            }
        };
        let library = library_files().into_iter().map(|(path, text)| (path, Arc::from(text)));
        let mut host = AnalysisHost::with_events(library, Some(Box::new(watch)));
        host.set_files(files.iter().map(|(name, text)| (path(name), Arc::from(*text))));
        host.set_roots(&files.iter().map(|(name, _)| path(name)).collect::<Vec<_>>());
        RecordingHost { host, executed }
    }

    fn set(&mut self, name: &str, text: &str) {
        self.host.edit_file(&path(name), Arc::from(text));
    }

    /// The diagnostics of a file.
    fn found(&self, name: &str) -> Vec<(&'static str, String, apg_syntax::TextRange)> {
        let file = self.host.snapshot().file(&path(name)).expect("known");
        let found = self.host.snapshot().with(|db| file_diagnostics(db, file)).expect("not cancelled");
        found.into_iter().map(|it| (it.code, it.message, it.range)).collect()
    }

    /// The codes of a file's diagnostics, and the sorted names of the queries executed to find them.
    fn check(&self, name: &str) -> (Vec<&'static str>, Vec<String>) {
        self.executed.lock().expect("no panic while it is held").clear();
        let file = self.host.snapshot().file(&path(name)).expect("known");
        let found = self.host.snapshot().with(|db| file_diagnostics(db, file)).expect("not cancelled");
        let mut executed = std::mem::take(&mut *self.executed.lock().expect("no panic while it is held"));
        for query in &mut executed {
            query.truncate(query.find('(').unwrap_or(query.len()));
        }
        executed.sort();
        (found.iter().map(|d| d.code).collect(), executed)
    }
}

fn path(name: &str) -> PathBuf {
    Path::new("/test").join(name)
}

fn count(executed: &[String], query: &str) -> usize {
    executed.iter().filter(|q| *q == query).count()
}

#[test]
fn no_query_runs_without_an_edit() {
    let host = RecordingHost::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    assert_eq!(host.check("Shape.x10").0, Vec::<&str>::new());
    assert_eq!(host.check("Shape.x10").1, Vec::<String>::new());
}

/// A type may be declared in a file with another name: the package's files are not parsed to find it.
#[test]
fn type_lookup_parses_no_package_files() {
    let caller = |name: &str| format!("package p;\nclass Caller {{ def f() {{ new {name}(); }} }}\n");
    let (other, shape) = ("package p;\nclass Other {}\n", "package p;\nclass Shape {}\nclass Pair {}\n");
    let mut host = RecordingHost::new(&[
        ("p/Caller.x10", &caller("Pair")),
        ("p/Other.x10", other),
        ("p/Shape.x10", shape),
    ]);
    host.host.set_roots(&[path("p/Caller.x10")]);
    assert_eq!(host.check("p/Caller.x10").0, Vec::<&str>::new());
    assert_eq!(count(&host.check("p/Shape.x10").1, "parse"), 0);
    assert_eq!(count(&host.check("p/Other.x10").1, "parse"), 1);
    // Edits of such a file count at once.
    host.set("p/Caller.x10", &caller("Extra"));
    assert_eq!(host.check("p/Caller.x10").0, ["name/unknown-type"]);
    host.set("p/Other.x10", &format!("{other}class Extra {{}}\n"));
    assert_eq!(host.check("p/Caller.x10").0, Vec::<&str>::new());
    host.set("p/Other.x10", &other.replace("package p", "package q"));
    assert_eq!(host.check("p/Caller.x10").0, ["name/unknown-type"]);
}

#[test]
fn body_edit_reruns_only_that_body() {
    let mut host = RecordingHost::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    host.check("Shape.x10");
    host.check("Caller.x10");
    // A longer body moves everything after it.
    host.set(
        "Shape.x10",
        &SHAPE.replace("return new Shape(side * factor);", "val s = side * factor;\n return new Shape(s);"),
    );
    let (codes, executed) = host.check("Shape.x10");
    assert_eq!(codes, Vec::<&str>::new());
    assert_eq!(count(&executed, "owner_body"), 1, "{executed:?}");
    assert_eq!(count(&executed, "parse"), 1, "{executed:?}");
    for untouched in [
        "class_item",
        "class_header",
        "method_signature",
        "field_signature",
        "member_index",
        "all_supertypes",
    ] {
        assert_eq!(count(&executed, untouched), 0, "{untouched}: {executed:?}");
    }
    assert_eq!(host.check("Caller.x10").1, Vec::<String>::new());
}

/// A class of many methods, one of them with `code`.
fn many(methods: usize, code: &str) -> String {
    let method =
        |n| format!("    def m{n}(x:Long):Long {{ val y = x + {n}; return m{}(y); }}\n", (n + 1) % methods);
    let methods: String = (0..methods).map(method).collect();
    format!("class Many {{\n{methods}    val z = 1;\n    def edited():Long {{ {code} }}\n}}\n")
}

#[test]
fn edit_cost_is_independent_of_class_size() {
    let executed = [3, 60].map(|methods| {
        let mut host = RecordingHost::new(&[("Many.x10", &many(methods, "return 1;"))]);
        host.check("Many.x10");
        host.set("Many.x10", &many(methods, "return 12;"));
        host.check("Many.x10");
        host.set("Many.x10", &many(methods, "return 123;"));
        host.check("Many.x10").1
    });
    assert_eq!(executed[0], executed[1]);
    assert_eq!(count(&executed[1], "owner_body"), 1);
    assert!(executed[1].len() <= 8, "{executed:?}");
}

#[test]
fn edited_file_equals_fresh_file() {
    let versions = [
        many(4, "return 1;"),
        many(4, "return one;"),
        many(5, "return one;"),
        many(2, "class L { def f() = oops; } return new L().f();"),
        many(2, "class L { def f() = oops + 1; } return 1;"),
        many(2, "return 1;").replace("val z", "val y = zz; val z"),
        many(2, "return 1;").replace("class Many", "class Other(p:Pong)"),
        many(3, "return 1; }} def more() { more(1);"),
        "class A { def f() = b; } class B { def f() = b; }".to_owned(),
        String::new(),
        many(3, "return true;"),
    ];
    let mut host = RecordingHost::new(&[("Many.x10", &versions[0])]);
    for text in &versions {
        host.set("Many.x10", text);
        let fresh = RecordingHost::new(&[("Many.x10", text)]);
        assert_eq!(host.found("Many.x10"), fresh.found("Many.x10"), "{text}");
    }
}

#[test]
fn comment_edit_reruns_no_body() {
    let mut host = RecordingHost::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    host.check("Shape.x10");
    host.check("Caller.x10");
    host.set("Shape.x10", &SHAPE.replace("    static val", "    // how large it may be\n\n    static val"));
    let (_, executed) = host.check("Shape.x10");
    assert_eq!(count(&executed, "owner_body"), 0, "{executed:?}");
    assert_eq!(count(&executed, "class_header"), 0, "{executed:?}");
    assert_eq!(host.check("Caller.x10").1, Vec::<String>::new());
}

#[test]
fn inferred_result_change_retypes_callers() {
    let mut host = RecordingHost::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    host.check("Caller.x10");
    // A body of the same type: the caller is not typed again.
    host.set("Shape.x10", &SHAPE.replace("side * side", "side * side + 0"));
    let (_, executed) = host.check("Caller.x10");
    assert!(count(&executed, "owner_body") >= 1, "{executed:?}");
    host.set("Shape.x10", &SHAPE.replace("side * side", "\"large\""));
    let (codes, _) = host.check("Caller.x10");
    assert_eq!(codes, Vec::<&str>::new(), "a string and a number make a string");
    host.set("Shape.x10", &SHAPE.replace("side * side", "true"));
    let (codes, _) = host.check("Caller.x10");
    assert_eq!(codes, ["type/no-operator"]);
}

#[test]
fn signature_change_retypes_callers() {
    let mut host = RecordingHost::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    assert_eq!(host.check("Caller.x10").0, Vec::<&str>::new());
    host.set("Shape.x10", &SHAPE.replace("static def unit()", "static def unit(x:Long)"));
    assert_eq!(host.check("Caller.x10").0, ["type/no-matching-call"]);
    host.set("Shape.x10", SHAPE);
    assert_eq!(host.check("Caller.x10").0, Vec::<&str>::new());
}

/// A method that two others call, and `others` methods that do not.
fn shared(signature: &str, others: usize, more: &str) -> String {
    let other =
        |n| format!("    def other{n}(x:Long):Long {{ return other{}(x + 1) * 2; }}\n", (n + 1) % others);
    let others: String = (0..others).map(other).collect();
    format!(
        "class Shared {{\n    val z = 1;\n{more}    static def shared{signature}\n\
         \x20   static def first() {{ Console.OUT.println(shared(1)); }}\n\
         \x20   static def second():Double {{ return shared(2) * 0.5; }}\n{others}}}\n"
    )
}

const USER: &str = "
class User {
    static def uses() = Shared.shared(3);
    static def does_not(s:Shared) = s.other0(s.z);
}
";

#[test]
fn signature_change_retypes_only_callers() {
    let executed = [2, 40].map(|others| {
        let text = shared("(n:Long):Double = n;", others, "");
        let mut host = RecordingHost::new(&[("Shared.x10", &text), ("User.x10", USER)]);
        assert_eq!(host.check("Shared.x10").0, Vec::<&str>::new());
        host.check("User.x10");
        // A first edit loads what it needs of the library.
        host.set("Shared.x10", &shared("(n:Long):Long = n;", others, ""));
        host.check("Shared.x10");
        host.check("User.x10");
        host.set("Shared.x10", &text);
        let (_, here) = host.check("Shared.x10");
        // The method and its two callers.
        assert_eq!(count(&here, "owner_body"), 3, "{here:?}");
        assert_eq!(count(&here, "method_signature"), 1, "{here:?}");
        let (_, there) = host.check("User.x10");
        assert_eq!(count(&there, "owner_body"), 1, "{there:?}");
        count(&there, "owner_body") + count(&here, "owner_body")
    });
    assert_eq!(executed[0], executed[1]);
}

#[test]
fn new_member_retypes_no_unrelated_code() {
    let text = |more| shared("(n:Long):Double = n;", 20, more);
    let mut host = RecordingHost::new(&[("Shared.x10", &text("")), ("User.x10", USER)]);
    host.check("Shared.x10");
    host.check("User.x10");
    for more in ["    def another(x:Long) = x;\n", "    var another:Long = 1;\n"] {
        host.set("Shared.x10", &text(more));
        let (_, here) = host.check("Shared.x10");
        // The new member and, for a field, the automatic constructor.
        assert!(count(&here, "owner_body") <= 2, "{more}: {here:?}");
        let (_, there) = host.check("User.x10");
        assert_eq!(count(&there, "owner_body"), 0, "{more}: {there:?}");
    }
}

#[test]
fn fixed_host_is_deterministic_after_forgetting() {
    let files = [
        ("Shape.x10", SHAPE.to_owned()),
        ("Caller.x10", CALLER.replace("Shape.unit()", "Shape.unit(1) + oops")),
        ("Guarded.x10", GUARDED.to_owned()),
        ("Constrained.x10", CONSTRAINED.to_owned()),
        ("Many.x10", many(30, "return wrong;")),
        ("User.x10", USER.to_owned()),
    ];
    let named: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let host = RecordingHost::new(&named);
    let library = library_files().into_iter().map(|(path, text)| (path, Arc::from(text)));
    let program = Program {
        files: files.iter().map(|(name, text)| (path(name), Arc::from(text.as_str()))).collect(),
        roots: files.iter().map(|(name, _)| path(name)).collect(),
        ..Program::default()
    };
    let mut fixed = AnalysisHost::fixed(library, program);
    // Twice, so that forgotten results are computed again.
    for _ in 0..2 {
        for (name, _) in &files {
            let file = fixed.snapshot().file(&path(name)).expect("known");
            let found = fixed.snapshot().with(|db| {
                prepare(db, &code_of(db, file));
                file_diagnostics(db, file)
            });
            let found = found.expect("not cancelled").into_iter().map(|it| (it.code, it.message, it.range));
            assert_eq!(found.collect::<Vec<_>>(), host.found(name), "{name}");
            fixed.forget_details(&[]);
        }
    }
}

const GUARDED: &str = "
class Guarded(size:Long) {
    property isEmpty():Boolean = size == 0;
    static def take(n:Long, g:Guarded{self != null}) {n != 0}:void { work(n); }
    static def work(n:Long):void { }
    static type Above(n:Long){n != 0} = Long{self != n};
    static def other(a:Above(3)) { }
}
";

const CONSTRAINED: &str = "
class Constrained {
    static def run(g:Guarded{isEmpty()}) { Guarded.take(1, g); }
    static def local(n:Guarded.Above(2)) { val f = (x:Long){x != 2} => x; f(3); }
    static def unrelated() = 1;
}
";

#[test]
fn constraint_change_retypes_only_dependents() {
    let guarded = GUARDED;
    let mut host = RecordingHost::new(&[("Guarded.x10", guarded), ("Constrained.x10", CONSTRAINED)]);
    host.check("Guarded.x10");
    let (codes, _) = host.check("Constrained.x10");
    assert_eq!(codes, ["constraint/run-time-check"]);
    // The code of a method with a condition concerns no other code.
    host.set("Guarded.x10", &guarded.replace("work(n); }", "work(n + 1); }"));
    let (_, executed) = host.check("Guarded.x10");
    assert_eq!(count(&executed, "owner_body"), 1, "{executed:?}");
    assert_eq!(host.check("Constrained.x10").1, Vec::<String>::new());
    // The condition concerns the callers of the method, and no other code there.
    let other = guarded.replace("{n != 0}:void { work(n); }", "{n == 1}:void { work(n); }");
    host.set("Guarded.x10", &other);
    let (_, executed) = host.check("Constrained.x10");
    assert!((1..=2).contains(&count(&executed, "owner_body")), "{executed:?}");
    // So does the definition of a property method.
    host.set("Guarded.x10", &other.replace("size == 0", "size == 1"));
    host.check("Guarded.x10");
    let (codes, executed) = host.check("Constrained.x10");
    assert_eq!(codes, ["constraint/run-time-check"]);
    assert!(count(&executed, "owner_body") <= 1, "{executed:?}");
}

#[test]
fn user_edit_reparses_no_library_file() {
    let mut host = RecordingHost::new(&[("Shape.x10", SHAPE)]);
    host.check("Shape.x10");
    host.set("Shape.x10", &SHAPE.replace("def area()", "def surface()"));
    let (_, executed) = host.check("Shape.x10");
    assert_eq!(count(&executed, "parse"), 1, "{executed:?}");
}

#[salsa::tracked(returns(copy))]
fn failing_query(_db: &dyn Db) -> u32 {
    panic!("a defect")
}

#[test]
fn query_panic_becomes_a_diagnostic() {
    let host = RecordingHost::new(&[("Shape.x10", SHAPE)]);
    let mut all = Vec::new();
    let ask = |db: &dyn Db| {
        guarded(&mut all, || {
            failing_query(db);
            Vec::new()
        });
        file_diagnostics(db, crate::inputs::Project::get(db).roots(db)[0])
    };
    let others = host.host.snapshot().with(ask).expect("not cancelled");
    assert_eq!(all.iter().map(|d| d.code).collect::<Vec<_>>(), ["internal/panic"]);
    assert!(all[0].message.contains("a defect"), "{}", all[0].message);
    assert_eq!(others, []);
}
