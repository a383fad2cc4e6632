//! Tests of the architecture's invariants on queries: an edit inside a body invalidates nothing outside of
//! it, and a panic in a query becomes a diagnostic.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::check::{code_of, file_diagnostics, guarded, prepare};
use crate::db::Db;
use crate::fixture::library_files;
use crate::host::{AnalysisHost, Program};

/// A host that records executed queries.
struct Watched {
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

impl Watched {
    fn new(files: &[(&str, &str)]) -> Watched {
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
        Watched { host, executed }
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
fn nothing_is_asked_again_without_an_edit() {
    let watched = Watched::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    assert_eq!(watched.check("Shape.x10").0, Vec::<&str>::new());
    assert_eq!(watched.check("Shape.x10").1, Vec::<String>::new());
}

/// A type may be declared in a file with another name: the package's files are not parsed to find it.
#[test]
fn a_type_is_found_in_a_package_that_is_not_parsed() {
    let caller = |name: &str| format!("package p;\nclass Caller {{ def f() {{ new {name}(); }} }}\n");
    let (other, shape) = ("package p;\nclass Other {}\n", "package p;\nclass Shape {}\nclass Pair {}\n");
    let mut watched =
        Watched::new(&[("p/Caller.x10", &caller("Pair")), ("p/Other.x10", other), ("p/Shape.x10", shape)]);
    watched.host.set_roots(&[path("p/Caller.x10")]);
    assert_eq!(watched.check("p/Caller.x10").0, Vec::<&str>::new());
    assert_eq!(count(&watched.check("p/Shape.x10").1, "parse"), 0);
    assert_eq!(count(&watched.check("p/Other.x10").1, "parse"), 1);
    // Edits of such a file count at once.
    watched.set("p/Caller.x10", &caller("Extra"));
    assert_eq!(watched.check("p/Caller.x10").0, ["name/unknown-type"]);
    watched.set("p/Other.x10", &format!("{other}class Extra {{}}\n"));
    assert_eq!(watched.check("p/Caller.x10").0, Vec::<&str>::new());
    watched.set("p/Other.x10", &other.replace("package p", "package q"));
    assert_eq!(watched.check("p/Caller.x10").0, ["name/unknown-type"]);
}

#[test]
fn an_edit_in_a_body_stays_in_that_body() {
    let mut watched = Watched::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    watched.check("Shape.x10");
    watched.check("Caller.x10");
    // A longer body moves everything after it.
    watched.set(
        "Shape.x10",
        &SHAPE.replace("return new Shape(side * factor);", "val s = side * factor;\n return new Shape(s);"),
    );
    let (codes, executed) = watched.check("Shape.x10");
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
    assert_eq!(watched.check("Caller.x10").1, Vec::<String>::new());
}

/// A class of many methods, one of them with `code`.
fn many(methods: usize, code: &str) -> String {
    let method =
        |n| format!("    def m{n}(x:Long):Long {{ val y = x + {n}; return m{}(y); }}\n", (n + 1) % methods);
    let methods: String = (0..methods).map(method).collect();
    format!("class Many {{\n{methods}    val z = 1;\n    def edited():Long {{ {code} }}\n}}\n")
}

#[test]
fn an_edit_costs_the_same_whatever_is_around_it() {
    let executed = [3, 60].map(|methods| {
        let mut watched = Watched::new(&[("Many.x10", &many(methods, "return 1;"))]);
        watched.check("Many.x10");
        watched.set("Many.x10", &many(methods, "return 12;"));
        watched.check("Many.x10");
        watched.set("Many.x10", &many(methods, "return 123;"));
        watched.check("Many.x10").1
    });
    assert_eq!(executed[0], executed[1]);
    assert_eq!(count(&executed[1], "owner_body"), 1);
    assert!(executed[1].len() <= 8, "{executed:?}");
}

#[test]
fn edits_give_what_a_new_file_gives() {
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
    let mut watched = Watched::new(&[("Many.x10", &versions[0])]);
    for text in &versions {
        watched.set("Many.x10", text);
        let fresh = Watched::new(&[("Many.x10", text)]);
        assert_eq!(watched.found("Many.x10"), fresh.found("Many.x10"), "{text}");
    }
}

#[test]
fn an_edit_of_a_comment_or_of_the_layout_moves_only_positions() {
    let mut watched = Watched::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    watched.check("Shape.x10");
    watched.check("Caller.x10");
    watched
        .set("Shape.x10", &SHAPE.replace("    static val", "    // how large it may be\n\n    static val"));
    let (_, executed) = watched.check("Shape.x10");
    assert_eq!(count(&executed, "owner_body"), 0, "{executed:?}");
    assert_eq!(count(&executed, "class_header"), 0, "{executed:?}");
    assert_eq!(watched.check("Caller.x10").1, Vec::<String>::new());
}

#[test]
fn an_inferred_result_reaches_its_callers() {
    let mut watched = Watched::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    watched.check("Caller.x10");
    // A body of the same type: the caller is not typed again.
    watched.set("Shape.x10", &SHAPE.replace("side * side", "side * side + 0"));
    let (_, executed) = watched.check("Caller.x10");
    assert!(count(&executed, "owner_body") >= 1, "{executed:?}");
    watched.set("Shape.x10", &SHAPE.replace("side * side", "\"large\""));
    let (codes, _) = watched.check("Caller.x10");
    assert_eq!(codes, Vec::<&str>::new(), "a string and a number make a string");
    watched.set("Shape.x10", &SHAPE.replace("side * side", "true"));
    let (codes, _) = watched.check("Caller.x10");
    assert_eq!(codes, ["type/no-operator"]);
}

#[test]
fn a_signature_reaches_its_callers() {
    let mut watched = Watched::new(&[("Shape.x10", SHAPE), ("Caller.x10", CALLER)]);
    assert_eq!(watched.check("Caller.x10").0, Vec::<&str>::new());
    watched.set("Shape.x10", &SHAPE.replace("static def unit()", "static def unit(x:Long)"));
    assert_eq!(watched.check("Caller.x10").0, ["type/no-matching-call"]);
    watched.set("Shape.x10", SHAPE);
    assert_eq!(watched.check("Caller.x10").0, Vec::<&str>::new());
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
fn a_signature_concerns_only_the_code_that_uses_it() {
    let executed = [2, 40].map(|others| {
        let text = shared("(n:Long):Double = n;", others, "");
        let mut watched = Watched::new(&[("Shared.x10", &text), ("User.x10", USER)]);
        assert_eq!(watched.check("Shared.x10").0, Vec::<&str>::new());
        watched.check("User.x10");
        // A first edit loads what it needs of the library.
        watched.set("Shared.x10", &shared("(n:Long):Long = n;", others, ""));
        watched.check("Shared.x10");
        watched.check("User.x10");
        watched.set("Shared.x10", &text);
        let (_, here) = watched.check("Shared.x10");
        // The method and its two callers.
        assert_eq!(count(&here, "owner_body"), 3, "{here:?}");
        assert_eq!(count(&here, "method_signature"), 1, "{here:?}");
        let (_, there) = watched.check("User.x10");
        assert_eq!(count(&there, "owner_body"), 1, "{there:?}");
        count(&there, "owner_body") + count(&here, "owner_body")
    });
    assert_eq!(executed[0], executed[1]);
}

#[test]
fn a_new_member_concerns_no_code_that_does_not_name_it() {
    let text = |more| shared("(n:Long):Double = n;", 20, more);
    let mut watched = Watched::new(&[("Shared.x10", &text("")), ("User.x10", USER)]);
    watched.check("Shared.x10");
    watched.check("User.x10");
    for more in ["    def another(x:Long) = x;\n", "    var another:Long = 1;\n"] {
        watched.set("Shared.x10", &text(more));
        let (_, here) = watched.check("Shared.x10");
        // The new member and, for a field, the automatic constructor.
        assert!(count(&here, "owner_body") <= 2, "{more}: {here:?}");
        let (_, there) = watched.check("User.x10");
        assert_eq!(count(&there, "owner_body"), 0, "{more}: {there:?}");
    }
}

#[test]
fn a_fixed_host_finds_the_same_whatever_it_forgets() {
    let files = [
        ("Shape.x10", SHAPE.to_owned()),
        ("Caller.x10", CALLER.replace("Shape.unit()", "Shape.unit(1) + oops")),
        ("Guarded.x10", GUARDED.to_owned()),
        ("Constrained.x10", CONSTRAINED.to_owned()),
        ("Many.x10", many(30, "return wrong;")),
        ("User.x10", USER.to_owned()),
    ];
    let named: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let watched = Watched::new(&named);
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
            assert_eq!(found.collect::<Vec<_>>(), watched.found(name), "{name}");
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
fn constraints_reach_only_who_depends_on_them() {
    let guarded = GUARDED;
    let mut watched = Watched::new(&[("Guarded.x10", guarded), ("Constrained.x10", CONSTRAINED)]);
    watched.check("Guarded.x10");
    let (codes, _) = watched.check("Constrained.x10");
    assert_eq!(codes, ["constraint/run-time-check"]);
    // The code of a method with a condition concerns no other code.
    watched.set("Guarded.x10", &guarded.replace("work(n); }", "work(n + 1); }"));
    let (_, executed) = watched.check("Guarded.x10");
    assert_eq!(count(&executed, "owner_body"), 1, "{executed:?}");
    assert_eq!(watched.check("Constrained.x10").1, Vec::<String>::new());
    // The condition concerns the callers of the method, and no other code there.
    let other = guarded.replace("{n != 0}:void { work(n); }", "{n == 1}:void { work(n); }");
    watched.set("Guarded.x10", &other);
    let (_, executed) = watched.check("Constrained.x10");
    assert!((1..=2).contains(&count(&executed, "owner_body")), "{executed:?}");
    // So does the definition of a property method.
    watched.set("Guarded.x10", &other.replace("size == 0", "size == 1"));
    watched.check("Guarded.x10");
    let (codes, executed) = watched.check("Constrained.x10");
    assert_eq!(codes, ["constraint/run-time-check"]);
    assert!(count(&executed, "owner_body") <= 1, "{executed:?}");
}

#[test]
fn an_edit_of_user_files_parses_no_library_file_again() {
    let mut watched = Watched::new(&[("Shape.x10", SHAPE)]);
    watched.check("Shape.x10");
    watched.set("Shape.x10", &SHAPE.replace("def area()", "def surface()"));
    let (_, executed) = watched.check("Shape.x10");
    assert_eq!(count(&executed, "parse"), 1, "{executed:?}");
}

#[salsa::tracked(returns(copy))]
fn failing_query(_db: &dyn Db) -> u32 {
    panic!("a defect")
}

#[test]
fn a_panic_in_a_query_is_a_diagnostic() {
    let watched = Watched::new(&[("Shape.x10", SHAPE)]);
    let mut all = Vec::new();
    let ask = |db: &dyn Db| {
        guarded(&mut all, || {
            failing_query(db);
            Vec::new()
        });
        file_diagnostics(db, crate::inputs::Project::get(db).roots(db)[0])
    };
    let others = watched.host.snapshot().with(ask).expect("not cancelled");
    assert_eq!(all.iter().map(|d| d.code).collect::<Vec<_>>(), ["internal/panic"]);
    assert!(all[0].message.contains("a defect"), "{}", all[0].message);
    assert_eq!(others, []);
}
