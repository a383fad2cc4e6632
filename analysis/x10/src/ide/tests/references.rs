//! References, implementations, renaming, calls.

use super::ask;
use crate::db::Db;
use crate::ide::{
    Access, RenameCheck, Symbol, implementations, incoming_calls, name_of, outgoing_calls, references,
    rename, symbol_at,
};
use crate::ids::SourceFile;
use crate::item_tree::source::Item;

const PROGRAM: &str = "
class Base { def run(x:Long):Long = x; }
class Der$0ived extends Base {
    var cou$0nt:Long = 0;
    def r$0un(x:Long):Long { count = count + x; this.count += 1; count++; return x; }
    def call(d:Derived{self.count==1}) { new Derived().run(1); val b:Base = d; b.run(2); }
    def loop(n$0:Long) { for (i in 0..n) async { Console.OUT.println(n + i); } }
}
";

fn uses(db: &dyn Db, file: SourceFile, offset: apg_syntax::TextSize) -> Vec<(usize, Access)> {
    let (symbol, _) = symbol_at(db, file, offset).expect("a symbol");
    let line = |at: apg_syntax::TextSize| file.text(db)[..usize::from(at)].matches('\n').count() + 1;
    references(db, &[file], &symbol).into_iter().map(|r| (line(r.range.start()), r.access)).collect()
}

#[test]
fn all_uses_are_found() {
    use Access::*;
    let found = ask(PROGRAM, uses);
    assert_eq!(found[0], [(2, Declaration), (5, Read), (5, Read)]);
    assert_eq!(found[1], [(3, Declaration), (4, Write), (4, Read), (4, Write), (4, Write), (5, Read)]);
    // A call may reach an overridden method: both are found together.
    assert_eq!(found[2], [(1, Declaration), (4, Declaration), (5, Read), (5, Read)]);
    assert_eq!(found[3], [(6, Declaration), (6, Read), (6, Read)]);
}

#[test]
fn implementations_and_calls_are_found() {
    let text = "
interface Speaks { def sp$0eak():void; }
class Dog implements Sp$0eaks { public def speak():void { bark(); } def ba$0rk() {} }
class Cat implements Speaks { public def speak():void {} }
";
    let found = ask(text, |db, file, at| {
        let (symbol, _) = symbol_at(db, file, at).expect("a symbol");
        let class = |s: &Symbol| match s {
            Symbol::Item(Item::Method(m)) => m.class(db).name(db).to_string(),
            symbol => name_of(db, symbol).to_string(),
        };
        let below: Vec<String> = implementations(db, &[file], &symbol).iter().map(class).collect();
        let Symbol::Item(Item::Method(method)) = symbol else { return (below, Vec::new(), 0) };
        let callers = incoming_calls(db, &[file], method);
        let callers = callers.iter().map(|c| class(&Symbol::Item(c.item))).collect();
        (below, callers, outgoing_calls(db, method).len())
    });
    assert_eq!(found[0].0, ["Dog", "Cat"]);
    assert_eq!(found[1].0, ["Dog", "Cat"]);
    assert_eq!(found[2].1, ["Dog"]);
}

/// The program after the rename at the cursor, or the reason of the refusal.
fn renamed(text: &str, new: &str) -> Result<String, String> {
    ask(text, |db, file, at| {
        let renamed = rename(db, &[file], (file, at), new)?;
        if let Some(why) = RenameCheck::new(db, &renamed, new).and_then(|check| check.refusal(&|_| {})) {
            return Err(why);
        }
        let mut edits = renamed.edits;
        edits.sort_by_key(|(_, range)| std::cmp::Reverse(range.start()));
        let mut text = file.text(db).to_string();
        for (_, range) in edits {
            text.replace_range(std::ops::Range::<usize>::from(range), new);
        }
        Ok(text.trim_end().to_owned())
    })
    .swap_remove(0)
}

#[test]
fn a_new_name_is_written_everywhere() {
    let after =
        renamed("class Example { var a$0:Long; def f(o:Example{self.a==1}) { a = o.a + this.a; } }", "b");
    assert_eq!(
        after.as_deref(),
        Ok("class Example { var b:Long; def f(o:Example{self.b==1}) { b = o.b + this.b; } }")
    );
    let after =
        renamed("class Example { static def make():Exa$0mple = new Example(); def this() {} }", "Thing");
    assert_eq!(after.as_deref(), Ok("class Thing { static def make():Thing = new Thing(); def this() {} }"));
    let after = renamed("class Example[T] { def f[U$0](x:U, y:T):U { val z:U = x; return z; } }", "V");
    assert_eq!(after.as_deref(), Ok("class Example[T] { def f[V](x:V, y:T):V { val z:V = x; return z; } }"));
}

#[test]
fn methods_that_a_class_brings_together_are_renamed_together() {
    let after = renamed(
        "class Example { public def f$0(x:Long) {} } interface I { def f(y:Long):void; }
class Both extends Example implements I {}
class Other implements I { public def f(y:Long) {} } class Apart { def f(x:Long) {} }",
        "g",
    );
    let expected = "class Example { public def g(x:Long) {} } interface I { def g(y:Long):void; }
class Both extends Example implements I {}
class Other implements I { public def g(y:Long) {} } class Apart { def f(x:Long) {} }";
    assert_eq!(after.as_deref(), Ok(expected));
}

#[test]
fn scopes_apart_may_use_the_same_name() {
    let after = renamed("class Example { def f() { for (i$0 in 0..1) {} for (j in 0..1) {} } }", "j");
    assert_eq!(after.as_deref(), Ok("class Example { def f() { for (j in 0..1) {} for (j in 0..1) {} } }"));
    let after =
        renamed("class Example { def f() { a: while (true) { break a$0; } a: while (true) {} } }", "b");
    let expected = "class Example { def f() { b: while (true) { break b; } a: while (true) {} } }";
    assert_eq!(after.as_deref(), Ok(expected));
}

#[test]
fn a_name_that_would_change_the_meaning_is_refused() {
    for (text, new, why) in [
        ("class Example { def f(a$0:Long, b:Long) = a + b; }", "b", "would"),
        ("class Example { def f(a$0:Long) { val b = 1; return a + b; } }", "b", "would"),
        ("class Example { val b = 1; def f(a$0:Long) = a + b; }", "b", "would stand for something else"),
        ("class Example { def f(a$0:Long) = a; }", "while", "is a keyword"),
        ("class Example { def f(a$0:Long) = a; }", "1x", "not a name"),
        ("class Example { val x$0 = 1; val y = 2; }", "y", "already a field `y`"),
        ("class Example { val x$0 = 1; def f(y:Long) = x + y; }", "y", "would stand for something else"),
        ("class Example { def f() { Console.OUT.print$0ln(); } }", "say", "class library"),
        ("class Exam$0ple {} class Other {}", "Other", "already a type `Other`"),
        ("class Exam$0ple { def f[T](x:T, e:Example) {} }", "T", "would"),
        ("class Example { def f[T$0](x:T, y:Other) {} } class Other {}", "Other", "would"),
        ("class Example { def f[T$0, U](x:T, y:U) {} }", "U", "would"),
        ("class Example { public def toStr$0ing() = \"\"; }", "text", "class library"),
        (
            "class Base { def g(x:Long) {} } class Example extends Base { def f$0(x:Long) {} }",
            "g",
            "already a `g`",
        ),
        (
            "class Base { def g$0(x:Long) {} } class Example extends Base { def f(x:Long) {} }",
            "f",
            "already a `f`",
        ),
        (
            "class Example { def f() { a$0: while (true) { b: while (true) { break a; } } } }",
            "b",
            "already a label",
        ),
    ] {
        let refused = renamed(text, new).expect_err(text);
        assert!(refused.contains(why), "{refused} for {text}");
    }
}

#[test]
fn types_and_variables_of_one_name_are_separate() {
    let text = "
class Na$0med { static val LIMIT = 3; static def make() = new Named(); }
class Example {
    def f() { val x = Named.LIMIT; val y:Named = Named.make(); }
    def g() { val Named = 3; Console.OUT.println(Named); }
    def h(lo$0cal:Long):Long { return local; }
    def i(local:Long):Long { return local; }
}
";
    use Access::*;
    let found = ask(text, uses);
    assert_eq!(found[0], [(1, Declaration), (1, Read), (3, Read), (3, Read), (3, Read)]);
    assert_eq!(found[1], [(5, Declaration), (5, Read)]);
}
