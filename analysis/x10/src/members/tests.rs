//! Tests of method resolution on signatures alone.

use super::describe_method;
use super::resolve::{Arg, Failure, Resolution};
use crate::db::Db;
use crate::fixture::{file, host};
use crate::ids::ClassId;
use crate::item_tree::items::top_level_classes;
use crate::item_tree::lower::types::TypeLowering;
use crate::relate::Context;
use crate::scope::type_scope::TypeScope;
use crate::ty::{Path, Ty};

/// A type written in the scope of `class`; `null` and literals (`=3`) are types of values.
fn ty(db: &dyn Db, class: ClassId, text: &str) -> Ty {
    if text == "null" {
        return Ty::null(db);
    }
    let wrapped = format!("class X {{ val x:{text}; }}");
    let tree = apg_syntax::parse(&wrapped).tree();
    let node = apg_syntax::AstNode::syntax(&tree)
        .descendants()
        .find_map(<apg_syntax::ast::Type as apg_syntax::AstNode>::cast);
    let reference = TypeLowering::default().ty(&node.expect("a type"));
    let mut problems = Vec::new();
    let ty = TypeScope::class(db, class).resolve(&reference, &mut problems);
    assert!(problems.is_empty(), "{text}: {problems:?}");
    ty
}

fn args(db: &dyn Db, class: ClassId, types: &[&str]) -> Vec<Arg> {
    types.iter().map(|t| Arg::of(ty(db, class, t))).collect()
}

fn show(db: &dyn Db, result: Result<Resolution, Failure>) -> String {
    match result {
        Ok(found) => format!("{} : {}", describe_method(db, found.method), found.result.display(db)),
        Err(failure @ Failure::Ambiguous(_)) => format!("ambiguous\n{}", failure.notes(db).join("\n")),
        Err(failure) => format!("none\n{}", failure.notes(db).join("\n")),
    }
}

/// Runs `test` in the first class of `text`.
fn within(text: &str, test: impl FnOnce(&Context<'_>, ClassId)) {
    let host = host(text);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let run = |db: &dyn Db| {
        let class = top_level_classes(db, example)[0];
        test(&Context::class(db, class), class);
    };
    host.snapshot().with(run).expect("not cancelled");
}

#[track_caller]
fn calls(text: &str, cases: &[(&str, &[&str], &str)]) {
    within(text, |cx, class| {
        for (name, types, expected) in cases {
            let receiver = Ty::this_type(cx.db, class);
            let found = show(cx.db, cx.resolve_method(receiver, None, name, &[], &args(cx.db, class, types)));
            assert_eq!(found, *expected, "{name}({})", types.join(", "));
        }
    });
}

#[test]
fn the_specifications_example() {
    let text = "
class Res {
    static interface Surface {}
    static interface Deface {}
    static class Ace implements Surface {
        public static operator (x:Boolean):Ace = new Ace();
        public static operator (x:Place):Ace = new Ace();
    }
    static class Face implements Surface, Deface {}
    static class A {}
    static class B extends A {}
    static class C extends B {}
    def m(x:A):Long = 0;
    def m(x:Long):Long = 1;
    def m(x:Boolean):Long = 2;
    def m(x:Surface):Long = 3;
    def m(x:Deface):Long = 4;
}
";
    calls(
        text,
        &[
            ("m", &["Long"], "m(x:Long):Long : Long"),
            ("m", &["C"], "m(x:A):Long : Long"),
            ("m", &["Ace"], "m(x:Surface):Long : Long"),
            ("m", &["Boolean"], "m(x:Boolean):Long : Long"),
            ("m", &["Int"], "m(x:Long):Long : Long"),
            ("m", &["Face"], "ambiguous\n`m(x:Surface):Long` fits\n`m(x:Deface):Long` fits"),
        ],
    );
}

#[test]
fn candidates_that_do_not_fit_say_why() {
    let text = "
class Example {
    def m(a:Long):Long = 1;
    def m(a:Long, b:String):Long = 1;
    def zero[T](x:Rail[T]){T haszero}:T = x(0);
    def make[T]():T = null as T;
}
class Other { private def secret():void {} }
";
    calls(
        text,
        &[
            (
                "m",
                &["String"],
                "none\n`m(a:Long):Long` does not fit: argument 1 is `String`, not `Long`\n\
                 `m(a:Long, b:String):Long` does not fit: it takes 2 arguments, one is given",
            ),
            ("zero", &["Rail[String{self!=null}]"], "zero[T](x:Rail[T]):T : String"),
            (
                "make",
                &[],
                "none\n`make[T]():T` does not fit: the type `T` does not follow from the arguments; \
                 write it in brackets before them",
            ),
            ("nothing", &[], "none\n"),
        ],
    );
}

#[test]
fn type_arguments_are_inferred() {
    let text = "
class Example {
    static class Super {}
    static class Sub extends Super {}
    static def choose[T](a:T, b:T):T = a;
    static def first[T](x:Rail[T]):T = x(0);
    static def map[T,U](x:Rail[T], f:(T)=>U):Rail[U] = null;
    static def same[T](a:Rail[T], b:Rail[T]):void {}
    static def apply(f:(Long)=>Float):Float = f(0);
    static def keep[T](x:T, y:Any):T = x;
    static def keep(x:Long, y:Any):Long = x;
}
";
    calls(
        text,
        &[
            ("choose", &["Sub", "Super"], "choose[T](a:T, b:T):T : Super"),
            ("choose", &["String", "Long"], "choose[T](a:T, b:T):T : Any"),
            ("choose", &["String", "null"], "choose[T](a:T, b:T):T : String"),
            ("first", &["Rail[String]{self!=null}"], "first[T](x:Rail[T]):T : String"),
            (
                "map",
                &["Rail[Long]", "(Long)=>String"],
                "map[T,U](x:Rail[T], f:(T)=>U):Rail[U] : Rail[String]",
            ),
            // A rail is a function from its indices.
            ("apply", &["Rail[Float]"], "apply(f:(Long)=>Float):Float : Float"),
            ("keep", &["Long", "Long"], "keep(x:Long, y:Any):Long : Long"),
            (
                "same",
                &["Rail[Long]", "Rail[Boolean]"],
                "none\n`same[T](a:Rail[T], b:Rail[T]):void` does not fit: argument 2 is `Rail[Boolean]`, not `Rail[Long]`",
            ),
        ],
    );
}

#[test]
fn a_rail_is_more_specific_than_a_function() {
    within("class Example {}", |cx, class| {
        let db = cx.db;
        let utilities = ty(db, class, "x10.util.CUDAUtilities");
        let element = ty(db, class, "Float");
        let given = args(db, class, &["Place", "Long", "Rail[Float]"]);
        let found = cx.resolve_static(utilities, "makeGlobalRail", &[element], &given).expect("fits");
        assert_eq!(found.params[2].display(db).to_string(), "Rail[Float]");
        let rail = ty(db, class, "Rail[Float]").as_class(db).expect("class").0;
        for (types, expected) in [
            (&["Long", "(Long)=>Float"][..], "(Long)=>T"),
            (&["Long", "Float"], "init:T)"),
            (&["Int"], "size:Long"),
        ] {
            let found = cx.resolve_constructor(rail, None, &args(db, class, types), None);
            let text = match types.len() {
                1 => show(db, cx.resolve_constructor(rail, Some(&[element]), &args(db, class, types), None)),
                _ => show(db, found),
            };
            assert!(text.contains(expected) && text.contains("Rail[Float]"), "{types:?}: {text}");
        }
    });
}

#[test]
fn constraints_of_results_follow_the_arguments() {
    within("class Example {}", |cx, class| {
        let db = cx.db;
        let utilities = ty(db, class, "x10.util.CUDAUtilities");
        let element = ty(db, class, "Float");
        let place = Arg { path: Some(Path::local("gpu", 77)), ..Arg::of(Ty::place(db)) };
        let count = Arg::of(Ty::long(db));
        let found =
            cx.resolve_static(utilities, "makeGlobalRail", &[element], &[place, count]).expect("fits");
        assert_eq!(found.result.display(db).to_string(), "GlobalRail[Float]{self.home==gpu}");
        let wanted = ty(db, class, "GlobalRail[Float]").constrained(
            db,
            crate::ty::Constraint {
                terms: vec![crate::ty::ConstraintTerm::Equal(
                    Path::self_value().field("home"),
                    Path::local("gpu", 77),
                )],
            },
        );
        assert!(!cx.convert(found.result, wanted, None).expect("converts").checked);
        let unknown = ty(db, class, "GlobalRail[Float]");
        assert!(cx.convert(unknown, wanted, None).expect("converts").checked);
    });
}

#[test]
fn binary_operators() {
    let text = "
class Money {
    public operator this + (x:Money):Money = this;
    public operator (x:Long) * this:Money = this;
    public static operator (x:Money) - (y:Long):Long = y;
    public static operator (x:String):Money = new Money();
}
";
    within(text, |cx, class| {
        let db = cx.db;
        for (left, name, right, expected) in [
            ("Int", "operator+", "Int", "Int"),
            ("Int", "operator*", "Long", "Long"),
            ("Long", "operator-", "Float", "Float"),
            ("Float", "operator<", "Long", "Boolean"),
            ("Int", "operator<<", "Int", "Int"),
            ("Int", "operator..", "Int", "IntRange"),
            ("Long", "operator..", "Int", "LongRange"),
            ("Money", "operator+", "Money", "Money"),
            // The operator of `String` applies without a conversion.
            ("Money", "operator+", "String", "String"),
            ("String", "operator+", "Money", "Money"),
            ("Long", "operator*", "Money", "Money"),
            ("Money", "operator-", "Int", "Long"),
        ] {
            let (a, b) = (Arg::of(ty(db, class, left)), Arg::of(ty(db, class, right)));
            if left == "String" {
                continue; // concatenation, which is not looked up here
            }
            match cx.resolve_binary(name, &a, &b) {
                Ok(call) => {
                    let result = call.resolution.result.base(db).display(db).to_string();
                    assert_eq!(result, expected, "{left} {name} {right}");
                }
                Err(failure) => panic!("{left} {name} {right}: {:?}", failure.notes(db)),
            }
        }
        for (left, name, right) in [("Boolean", "operator+", "Boolean"), ("Int", "operator+", "UInt")] {
            let (a, b) = (Arg::of(ty(db, class, left)), Arg::of(ty(db, class, right)));
            assert!(cx.resolve_binary(name, &a, &b).is_err(), "{left} {name} {right}");
        }
    });
}

#[test]
fn conversions() {
    within("class Example {}", |cx, class| {
        let db = cx.db;
        let convert = |from: &str, to: &str| {
            let conversion = cx.convert(ty(db, class, from), ty(db, class, to), None);
            conversion.map(|c| (c.implicit.is_some(), c.representation, c.checked))
        };
        use crate::relate::subtype::Representation::{Box, Coerce, Same};
        assert_eq!(convert("Int", "Long"), Some((true, Same, false)));
        assert_eq!(convert("Long", "Int"), None);
        assert_eq!(convert("Long", "Double"), Some((true, Same, false)));
        assert_eq!(convert("Int", "Any"), Some((false, Box, false)));
        assert_eq!(convert("String", "Any"), Some((false, Coerce, false)));
        assert_eq!(convert("Int", "Comparable[Int]"), Some((false, Box, false)));
        assert_eq!(convert("null", "String"), Some((false, Coerce, false)));
        assert_eq!(convert("null", "Int"), None);
        assert_eq!(convert("Rail[Int]", "(Long)=>Int"), Some((false, Coerce, false)));
        assert_eq!(convert("Rail[Int]", "Rail[Any]"), None);
        assert_eq!(convert("Long{self==3}", "Long{self!=0}"), Some((false, Same, false)));
        assert_eq!(convert("Long", "Long{self!=0}"), Some((false, Same, true)));
        assert_eq!(convert("Long{self==3}", "Long{self==4}"), None);
        assert_eq!(convert("null", "String{self!=null}"), None);
        assert_eq!(convert("(Any)=>String", "(String)=>Any"), Some((false, Coerce, false)));
        assert_eq!(convert("(String)=>Any", "(Any)=>String"), None);
    });
}

#[test]
fn explicit_conversions() {
    within("class Example {}", |cx, class| {
        let db = cx.db;
        for (from, to, name) in [
            ("Long", "Int", "operator as"),
            ("Int", "Long", "operator implicit as"),
            ("Double", "Float", "operator as"),
            ("Int", "Char", "operator as"),
        ] {
            let value = Arg::of(ty(db, class, from));
            let found = cx.resolve_conversion(&value, ty(db, class, to));
            let found = found.unwrap_or_else(|| panic!("{from} as {to}"));
            assert_eq!(found.method.name(db), name, "{from} as {to}");
        }
        assert!(cx.resolve_conversion(&Arg::of(ty(db, class, "String")), ty(db, class, "Int")).is_none());
    });
}
