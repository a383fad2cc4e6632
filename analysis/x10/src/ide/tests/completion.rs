//! Completion and signatures, also in code that does not parse.

use super::ask;
use crate::ide::{Completion, completions, signature_help};

/// The labels at the first cursor, best first.
fn labels(text: &str) -> Vec<String> {
    let mut found = at_cursor(text);
    found.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
    found.into_iter().map(|c| c.label).collect()
}

fn at_cursor(text: &str) -> Vec<Completion> {
    ask(text, completions).swap_remove(0)
}

fn assert_has(found: &[String], wanted: &[&str]) {
    for label in wanted {
        assert!(found.iter().any(|l| l == label), "no `{label}` in {found:?}");
    }
}

fn assert_lacks(found: &[String], unwanted: &[&str]) {
    for label in unwanted {
        assert!(!found.iter().any(|l| l == label), "`{label}` in {found:?}");
    }
}

const SHAPES: &str = "
class Shape(sides:Long) {
    static val UNIT = 1;
    private val hidden = 2;
    def area():Double = 0.0;
    static def square():Shape = new Shape(4);
    def this(n:Long) { property(n); }
}
";

fn in_main(statements: &str) -> String {
    format!(
        "{SHAPES}\nclass Example {{ def other() {{}} static def main(args:Rail[String]) {{ val shape = new Shape(3); {statements} }} }}"
    )
}

#[test]
fn a_file_may_start_in_the_middle_of_an_expression() {
    for text in [
        "new $0",
        "new$0",
        " new $0",
        "new Exam$0\nclass Example {}",
        "= $0",
        "return $0",
        "($0",
        ", $0",
        ".$0",
    ] {
        at_cursor(text);
    }
}

#[test]
fn members_of_a_value_follow_a_dot() {
    for unfinished in [
        "shape.$0",
        "shape.a$0",
        "shape.$0;",
        "val a = shape.$0",
        "f(shape.$0",
        "if (shape.$0) {}",
        "shape.$0\n shape.area();",
        "shape.$0(1);",
        "val a = shape.$0 (\"a\", 2);",
        "shape.$0.toString();",
    ] {
        let found = labels(&in_main(unfinished));
        assert_has(&found, &["sides", "area", "toString", "hashCode"]);
        assert_lacks(&found, &["UNIT", "square", "hidden", "while", "shape"]);
        let position = |label: &str| found.iter().position(|l| l == label);
        assert!(position("area") < position("toString"), "{unfinished}: {found:?}");
    }
}

#[test]
fn an_expression_is_put_into_something_after_a_dot() {
    let inserted = |statement: &str, label: &str| {
        let text = in_main(statement);
        let found = at_cursor(&text).into_iter().find(|c| c.label == label)?;
        let mut plain = text.trim_start_matches('\n').replace("$0", "");
        let of = |range: apg_syntax::TextRange| usize::from(range.start())..usize::from(range.end());
        let typed = &plain[of(found.replace)];
        assert!(found.filter.is_none_or(|filter| filter.starts_with(typed)), "{typed}");
        plain.replace_range(of(found.replace), &found.insert);
        let start = plain.find("Shape(3); ").map(|at| at + 10).expect("there");
        Some(plain[start..].trim_end_matches([' ', '}']).to_owned())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(inserted("shape.area().as$0", "async"), some("async shape.area();"));
    assert_eq!(inserted("main(args).$0", "finish"), some("finish main(args);"));
    assert_eq!(inserted("here.$0", "at"), some("at (here) {\n    $0\n"));
    assert_eq!(inserted("main(args).$0", "at"), some("at (${1:place}) main(args);"));
    assert_eq!(inserted("args.$0", "for"), some("for (${1:x} in args) {\n    $0\n"));
    assert_eq!(inserted("args.size.$0", "for"), some("for (${1:i} in 0..(args.size - 1)) {\n    $0\n"));
    let named = "val ${1:name} = shape.area();$0\n shape.area();";
    assert_eq!(inserted("shape.area().v$0\n shape.area();", "val"), some(named));
    assert_eq!(inserted("if (args.isEmpty().$0", "not"), None);
    assert_eq!(inserted("if ((shape == null).n$0", "not"), some("if (!(shape == null)"));
    // Not in the middle of an expression, nor of types.
    assert_eq!(inserted("val x = shape.area().$0", "async"), None);
    assert_eq!(inserted("Shape.$0", "val"), None);
}

#[test]
fn static_members_of_a_type_follow_a_dot() {
    let found = labels(&in_main("Shape.$0"));
    assert_has(&found, &["UNIT", "square"]);
    assert_lacks(&found, &["sides", "area", "hidden"]);
    assert_has(&labels(&in_main("val x = Math.s$0")), &["sqrt", "sin"]);
}

#[test]
fn members_of_what_a_call_gives_follow_a_dot() {
    assert_has(&labels(&in_main("Shape.square().$0")), &["area", "sides"]);
    assert_has(&labels(&in_main("Console.OUT.$0")), &["println", "print"]);
    assert_has(&labels(&in_main("args(0).$0")), &["length", "charAt"]);
    assert_has(&labels(&in_main("(shape).$0")), &["area"]);
}

#[test]
fn names_in_scope_are_offered_locals_first() {
    let found = labels(&in_main("val near = 1; $0"));
    assert_has(&found, &["near", "shape", "args", "main", "finish", "async", "println"]);
    // `main` is static: members of the object are not at hand.
    assert_lacks(&found, &["other", "this"]);
    let position = |label: &str| found.iter().position(|l| l == label);
    assert!(position("near") < position("finish"), "{found:?}");
    let inner = labels(&in_main("for (i in 0..9) { val inside = i; } in$0"));
    assert_lacks(&inner, &["inside", "i"]);
}

#[test]
fn items_of_the_expected_type_come_first() {
    let found = labels(&in_main("val text = \"\"; val number = 1; val wanted:String = $0"));
    assert_eq!(found.first().map(String::as_str), Some("text"), "{found:?}");
    let found = labels(&in_main("val flag = true; val number = 1; if ($0"));
    assert_eq!(found.first().map(String::as_str), Some("flag"), "{found:?}");
}

#[test]
fn types_are_offered_where_a_type_stands() {
    for place in ["val x:$0", "val x = new Sh$0", "val x = shape as $0", "val x = new Rail[$0"] {
        let found = labels(&in_main(place));
        assert_has(&found, &["Shape", "Example"]);
        assert_lacks(&found, &["shape", "while"]);
    }
}

#[test]
fn a_class_of_another_package_brings_its_import() {
    let found = at_cursor(&in_main("val m = new HashM$0"));
    let map = found.iter().find(|c| c.label == "HashMap").expect("HashMap is offered");
    assert_eq!(map.also.len(), 1);
    assert_eq!(map.also[0].text.trim(), "import x10.util.HashMap;");
}

#[test]
fn a_first_import_stands_above_what_documents_the_class() {
    let class = "/** A table. */\n// Rarely used.\nclass Example { val m:HashM$0; }\n";
    for (head, start) in [("", 0), ("/** Of a project. */\n\n", 22)] {
        let found = at_cursor(&format!("{head}{class}"));
        let map = found.iter().find(|c| c.label == "HashMap").expect("HashMap is offered");
        assert_eq!(u32::from(map.also[0].range.start()), start, "after {head:?}");
    }
}

#[test]
fn imports_and_annotations_are_completed() {
    assert_has(&labels("import $0\nclass Example {}"), &["x10"]);
    assert_has(&labels("import x10.$0\nclass Example {}"), &["util", "lang", "compiler"]);
    assert_has(&labels("import x10.util.$0\nclass Example {}"), &["HashMap", "Random", "*"]);
    assert_has(&labels(&in_main("finish async at (here) @$0")), &["CUDA"]);
}

#[test]
fn inherited_methods_are_offered_in_a_class() {
    let text = "
abstract class Animal { abstract def sound(loud:Boolean):String; def legs():Long = 4; final def name() = \"\"; }
class Example extends Animal {
    $0
}";
    let found = at_cursor(text);
    let sound = found.iter().find(|c| c.label.starts_with("def sound")).expect("sound is offered");
    assert!(sound.insert.contains("def sound(loud:Boolean):String {"), "{}", sound.insert);
    let found: Vec<String> = found.into_iter().map(|c| c.label).collect();
    assert_has(&found, &["def legs():Long", "static", "main"]);
    assert!(!found.iter().any(|l| l.starts_with("def name")), "{found:?}");
}

#[test]
fn nothing_is_offered_in_comments_strings_and_new_names() {
    for place in ["// sh$0", "val s = \"sh$0\";", "val sh$0", "/* sh$0 */"] {
        assert_eq!(labels(&in_main(place)), Vec::<String>::new(), "{place}");
    }
}

#[test]
fn the_signatures_of_a_call_are_shown() {
    let text = "
class Example {
    /** Adds. */
    def add(first:Long, second:Long):Long = first + second;
    def add(first:String):String = first;
    def test(f:(Long)=>String, e:Example) {
        add($0);
        e.add(1, $0
        f($0);
        new Rail[Long](10, $0);
    }
}";
    let found = ask(text, signature_help);
    let shown = |n: usize| {
        let help: &crate::ide::SignatureHelp = found[n].as_ref().expect("a call");
        (help.signatures[help.active].label.clone(), help.argument)
    };
    assert_eq!(found[0].as_ref().map(|h| h.signatures.len()), Some(2));
    assert_eq!(shown(1), ("add(first:Long, second:Long):Long".to_owned(), 1));
    assert_eq!(
        found[1].as_ref().and_then(|h| h.signatures[h.active].documentation.clone()),
        Some("Adds.".to_owned())
    );
    assert_eq!(shown(2), ("f(Long):String".to_owned(), 0));
    assert_eq!(shown(3).1, 1);
}

#[test]
fn every_offset_of_a_broken_program_is_answered() {
    let text = in_main("shape.; val x = ; new ; for (i in ) { shape.area( } @ at (");
    for offset in 0..=text.len() {
        if text.is_char_boundary(offset) {
            let mut with = text.clone();
            with.insert_str(offset, "$0");
            if offset % 7 == 0 {
                ask(&with, |db, file, at| (completions(db, file, at).len(), signature_help(db, file, at)));
            }
        }
    }
}

#[test]
fn what_can_be_made_follows_new() {
    let classes = "abstract class Base {} class Derived extends Base {} interface Face {} class Apart {}";
    let found = labels(&format!("class Example {{ def f() {{ val b:Base = new $0; }} }} {classes}"));
    let position = |label: &str| found.iter().position(|l| l == label).unwrap_or(usize::MAX);
    assert_eq!(found.first().map(String::as_str), Some("Derived"), "{found:?}");
    assert!(position("Apart") < position("Base") && position("Apart") < position("Face"), "{found:?}");
    assert!(position("Apart") < position("Long"), "{found:?}");
    let found = labels("class Example { def f() { throw new $0; } }");
    assert!(found.first().is_some_and(|l| l.ends_with("Exception")), "{found:?}");
    let generic = at_cursor("class Example[T] { def f() { new Exam$0 } }");
    let example = generic.iter().find(|c| c.label == "Example").expect("offered");
    assert_eq!(example.insert, "Example[$1]($2)$0");
}

#[test]
fn a_variable_is_not_offered_in_its_own_value() {
    for text in ["val own = new Example($0", "val own = f(1, $0", "val own = $0"] {
        let found = labels(&format!("class Example {{ def f(n:Long) {{ val before = 1; {text} }} }}"));
        assert_has(&found, &["before", "n"]);
        assert_lacks(&found, &["own"]);
    }
    assert_lacks(&labels("class Example { def f() { try { } catch ($0 } }"), &["Example", "f"]);
    assert_eq!(labels("class Example { def f(p:Place) { val x = 1; at ($0 } }")[..2], ["p", "here"]);
}

#[test]
fn inherited_methods_are_offered_wherever_a_member_may_stand() {
    for before in ["val x = 1;", "def f() { if (true) { } }", "def f() = 1;", "class I { }", ""] {
        for typed in ["", "to"] {
            let found = labels(&format!("class A {{ {before}\n    {typed}$0\n}}"));
            assert_has(&found, &["def toString():String", "def"]);
            assert_lacks(&found, &["while", "Console"]);
        }
    }
    let found = labels("class A { def f() { if (true) { }\n    $0\n} }");
    assert_has(&found, &["while", "f"]);
}

#[test]
fn inherited_methods_follow_def() {
    let text = "abstract class Base { abstract def area():Double; }
class Derived extends Base {
    public def a$0
}";
    let found = ask(text, completions).remove(0);
    let area = found.iter().find(|item| item.label == "def area():Double").expect("it can be overridden");
    assert_eq!((area.filter.as_deref(), usize::from(area.replace.len())), (Some("area"), 1));
    assert_eq!(area.insert, "area():Double {\n    $0\n}");
    // Methods inherited from `Any` are public.
    let found = ask("class Example { def to$0 }", completions).remove(0);
    let shown =
        found.iter().find(|item| item.label == "def toString():String").expect("it can be overridden");
    assert_eq!((shown.filter.as_deref(), usize::from(shown.replace.len())), (Some("def toString"), 6));
    assert_eq!(shown.insert, "public def toString():String {\n    $0\n}");
}

#[test]
fn words_and_types_follow_what_a_declaration_says() {
    let classes = "class Open {} final class Closed {} interface Face {} struct Value {}";
    let extended = labels(&format!("class Example extends $0 {{}} {classes}"));
    let has = |list: &[String], name: &str| list.iter().any(|it| it == name);
    assert!(has(&extended, "Open"), "{extended:?}");
    for name in ["Closed", "Face", "Value", "Example"] {
        assert!(!has(&extended, name), "{name}");
    }
    let implemented = labels(&format!("class Example implements $0 {{}} {classes}"));
    assert!(has(&implemented, "Face") && !has(&implemented, "Open"));
    assert_eq!(labels("class Example $0"), ["extends", "implements"]);
    assert!(has(&labels("$0 class Example {}"), "import"));
    let cases = labels("class A { def f(n:Long) { switch (n) { $0 } } }");
    assert!(has(&cases, "case") && has(&cases, "default"));
    let closures = labels("class A { def g(f:(Long)=>Long) {} def f() { g($0); } }");
    assert!(has(&closures, "(x:Long) => ..."), "{closures:?}");
    assert!(!has(&labels("class A { def f() { for (item in $0) { } } }"), "item"));
}

#[test]
fn a_package_is_that_of_the_folder() {
    let of = |cursor: &str| {
        // Completion in the first file, which is in no package folder, below a folder where packages of other
        // files start.
        let text =
            format!("{cursor}\nclass Example {{}}\n// file: more/Other.x10\npackage more;\nclass Other {{}}");
        labels(&text)
    };
    assert_has(&of("package $0"), &["more"]);
    assert_has(&of("package m$0;"), &["more"]);
    assert_lacks(&of("package $0"), &["x10", "class"]);
    let own = |name: &str, typed: &str| {
        let text = format!("class Example {{}}\n// file: {name}\n{typed}");
        let host = crate::fixture::host(&text);
        let file = crate::fixture::file(&host, name);
        let found = host.snapshot().with(|db| completions(db, file, apg_syntax::TextSize::of(typed)));
        let found = found.expect("not cancelled");
        found.into_iter().map(|it| it.label).collect::<Vec<_>>()
    };
    assert_eq!(own("a/b/New.x10", "package "), ["a.b"]);
    assert_eq!(own("a/b/New.x10", "package a."), ["b"]);
}

#[test]
fn types_are_members_of_types() {
    let text = |cursor: &str| {
        format!(
            "class Example {{ {cursor} }} class Holder {{ static type Number = Int; static class Inner {{}} }}"
        )
    };
    for cursor in ["val x:Holder.$0;", "def f(x:Holder.$0) {}", "def f() { val x:Holder.N$0 = 1; }"] {
        let found = labels(&text(cursor));
        assert_has(&found, &["Number", "Inner"]);
        assert_lacks(&found, &["Holder", "while"]);
    }
    assert_has(&labels(&text("def f() { Holder.$0 }")), &["Number", "Inner"]);
}

#[test]
fn a_name_is_written_between_two_dots() {
    assert_has(&labels("import x10.$0.Inline;\nclass Example {}"), &["compiler", "util"]);
    assert_has(&labels("class Example { @x10.$0.Inline def f() {} }"), &["compiler"]);
    assert_has(&labels("class Example { @x$0.compiler.Inline def f() {} }"), &["x10", "Inline"]);
    assert_has(&labels("class Example { def f() { Console.$0.println(); } }"), &["OUT", "ERR"]);
}

#[test]
fn packages_follow_new() {
    assert_has(&labels(&in_main("val a = new x10.$0")), &["util", "array"]);
    assert_has(&labels(&in_main("val a = new x10.util.$0\n shape.area();")), &["ArrayList", "Random"]);
    assert_has(&labels(&in_main("new x10.util.R$0;")), &["Random"]);
}

#[test]
fn properties_have_a_signature() {
    let text = "class Box(w:Double, h:Long) { def this(w:Double) { property(w, $0); } }";
    let found = ask(text, signature_help).swap_remove(0).expect("a signature");
    assert_eq!((found.signatures[0].label.as_str(), found.argument), ("property(w:Double, h:Long)", 1));
}

/// Only properties are offered in a constraint.
#[test]
fn conditions_are_of_properties() {
    for unfinished in
        ["val a:Shape{self.$0} = null;", "val a:Shape{self.$0", "val a:Shape{self.si$0des == 3} = null;"]
    {
        assert_eq!(labels(&in_main(unfinished)), ["sides"], "{unfinished}");
    }
    for unfinished in ["val a:Shape{$0} = null;", "val a:Shape{$0", "val a:Shape{sides == 3 && $0"] {
        let found = labels(&in_main(unfinished));
        assert_eq!(found[..2], ["sides", "self"], "{unfinished}");
        assert_has(&found, &["shape", "here"]);
        assert_lacks(&found, &["area", "hidden", "other", "new"]);
    }
    let found = labels(&format!("{SHAPES} class Example {{ def f(shape:Shape) {{shape.$0}} {{}} }}"));
    assert_eq!(found, ["sides"]);
}

#[test]
fn what_can_be_caught_comes_first() {
    let found = labels(&in_main("try {} catch (e:$0"));
    assert_eq!(found[0], "Exception");
    let place = |name: &str| found.iter().position(|label| label == name);
    assert!(place("ArithmeticException") < place("Shape"), "{found:?}");
    assert_lacks(&found, &["void"]);
}

/// Among types of one simple name, the one imported by name comes first.
#[test]
fn imported_types_come_before_those_of_the_language() {
    let found = labels("import x10.util.Box; class Example { val b:Bo$0 }");
    let place = |name: &str| found.iter().position(|label| label == name);
    assert!(place("Box") < place("Boolean"), "{found:?}");
}

#[test]
fn signature_help_selects_the_overload_that_accepts_the_arguments() {
    let active = |statement: &str| {
        let help = ask(&in_main(statement), signature_help).swap_remove(0).expect(statement);
        help.signatures[help.active].label.clone()
    };
    assert_eq!(active("Math.max(1, $0"), "max(a:Long, b:Long):Long");
    assert_eq!(active("Math.max(1.0f, $0)"), "max(a:Float, b:Float):Float");
    assert_eq!(active("\"a\".indexOf(\"b\", $0)"), "indexOf(str:String, i:Int):Int");
    // The bracket of an argument does not close the list around it.
    for open in ["Math.sqrt(shape.area()$0", "Math.sqrt(shape.area()$0);", "Math.sqrt(shape.area() $0"] {
        assert_eq!(active(open), "sqrt(a:Double):Double", "{open}");
    }
}
