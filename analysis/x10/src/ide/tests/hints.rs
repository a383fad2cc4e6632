//! Inlay hints, semantic tokens, symbols by name.

use apg_syntax::services::HighlightKind;
use apg_syntax::{TextRange, TextSize};

use super::ask;
use crate::ide::{inlays, semantic_tokens, workspace_symbols};

fn all(text: &str) -> TextRange {
    TextRange::up_to(TextSize::of(text))
}

#[test]
fn inlay_hints_show_inferred_types_and_captures() {
    let text = "
class Example {
    def twice(n:Long) = n * 2;
    static def area(width:Long, height:Long):Long = width * height;
    static def main(args:Rail[String]) {
        val sum = area(3, args.size);
        val made = new Example();
        for (p in Place.places()) at (p) async { Console.OUT.println(sum); }
        for (i in 0..9) Console.OUT.println(i);
        for (p:Place in Place.places()) Console.OUT.println(p);
        at (((here))) { Console.OUT.println(sum); }
    }
    static def far(r:GlobalRef[Example], own:PlaceLocalHandle[Example], n:Int, rail:Rail[Long]) {
        at (r) { Console.OUT.println(r + \" \" + own); }
        at (r.home) { Console.OUT.println(r + \" \" + n); }
        at (r.home()) { Console.OUT.println(r + \" \" + rail(n)); }
    }
}
$0";
    let found = ask(text, |db, file, _| {
        let shown = inlays(db, file, all(file.text(db)));
        shown
            .into_iter()
            .map(|i| {
                format!(
                    "{}{}",
                    &file.text(db)[..usize::from(i.at)].lines().last().unwrap_or_default().trim(),
                    i.label
                )
            })
            .collect::<Vec<_>>()
    });
    assert_eq!(
        found[0],
        [
            "def twice(n:Long):Long",
            "val sum:Long",
            "val sum = area(width:",
            "for (p:Place",
            "for (p in Place.places()) at (p) copies sum (8 B)",
            "at (((here))) copies sum (8 B)",
            "at (r) copies r, own (references)",
            "at (r.home) copies r, n (4 B and references)",
            "at (r.home()) copies r, n, rail (4 B and objects)",
        ]
    );
}

#[test]
fn semantic_tokens_follow_name_resolution() {
    let text = "
struct Pair(a:Long) {}
class Example[T] {
    var field:Long = 1;
    static val LIMIT = 3;
    def f(x:T, p:Pair):Long { var y:Long = field; y = p.a + LIMIT; return y; }
}
$0";
    let found = ask(text, |db, file, _| {
        let tokens = semantic_tokens(db, file, all(file.text(db)));
        let shown = tokens
            .into_iter()
            .map(|t| (file.text(db)[t.range].to_owned(), t.kind, t.is_mutable, t.is_static));
        shown.collect::<Vec<_>>()
    });
    let has = |name: &str, kind: HighlightKind, mutable: bool, is_static: bool| {
        let wanted = (name.to_owned(), kind, mutable, is_static);
        assert!(found[0].contains(&wanted), "{wanted:?} in {:?}", found[0]);
    };
    has("Pair", HighlightKind::Struct, false, false);
    has("T", HighlightKind::TypeParameter, false, false);
    has("x", HighlightKind::Parameter, false, false);
    has("y", HighlightKind::Variable, true, false);
    has("field", HighlightKind::Property, true, false);
    has("a", HighlightKind::Property, false, false);
    has("LIMIT", HighlightKind::Property, false, true);
}

#[test]
fn symbols_are_found_by_their_letters() {
    let text = "class Example { def makeThing() {} val thing = 1; class Inner {} }\ntype Things = Rail[Example];\n$0";
    let found = ask(text, |db, file, _| {
        let named =
            |query| workspace_symbols(db, &[file], query).into_iter().map(|l| l.name).collect::<Vec<_>>();
        (named("thing"), named("mkt"), named("inn"))
    });
    assert_eq!(found[0].0, ["thing", "Things", "makeThing"]);
    assert_eq!(found[0].1, ["makeThing"]);
    assert_eq!(found[0].2, ["Inner"]);
}

/// The text of the hover at each cursor.
fn hovers(text: &str) -> Vec<String> {
    ask(text, |db, file, at| crate::ide::hover(db, file, at).map(|h| h.markdown).unwrap_or_default())
}

#[test]
fn hovers_say_what_a_reader_asks() {
    let found = hovers(
        "
interface Sized {}
abstract class Base {}
/** Has <code>n</code> sides. */
class Sha$0pe extends Base implements Sized {
    private static val si$0des:Long = 3;
    static type Num$0ber = Long;
    static def area$0(x:Long):Long = x;
    def f(p:Place) {
        val n = area(1);
        val r = new GlobalRef[Base](null);
        at (p) { fin$0ish { Console.OUT.println(n$0 + \" \" + r$0); } }
        Console.OUT.println(n$0);
    }
}
",
    );
    assert_eq!(found[0], "```x10\nclass Shape extends Base implements Sized\n```\n\nHas `n` sides.");
    assert_eq!(found[1], "```x10\nprivate static val sides:Long // of Shape\n```");
    assert_eq!(found[2], "```x10\nstatic type Number = Long;\n```");
    assert_eq!(found[3], "```x10\nstatic def area(x:Long):Long // of Shape\n```");
    assert!(found[4].contains("waits for all activities"), "{}", found[4]);
    assert!(found[5].ends_with("Place: a copy at `p`, made by the `at` of line 11."), "{}", found[5]);
    assert!(found[6].contains("stays at its home"), "{}", found[6]);
    assert!(!found[7].contains("Place:"), "{}", found[7]);
}

#[test]
fn hovers_say_what_is_inferred() {
    let found = hovers(
        "
class Infers {
    val field$0 = 1.5;
    def block$0(x:Long) { if (x > 1) return x; return 2 * x; }
    def expr$0() = \"a\" + 1;
    def none$0() { }
    def early$0(x:Boolean) { if (x) return; none(); }
    def generic$0[T](x:T) = new Rail[T](1, x);
    def calls() {
        val n = bl$0ock(3);
        val f$0 = (x:Long) =>$0 x as Double;
        val g$0 = () =>$0 { none(); };
        for (i$0 in 0..3) { async { val h$0 = f(i$0); } }
        val o = this *$0 this;
        return exp$0r();
    }
    operator this * (that:Infers) = that;
    def bad$0() = missing;
    def circular$0(n:Long) = circular(n);
}
",
    );
    let code = |markdown: &String| {
        let text = markdown.trim_start_matches("```x10\n");
        text.split("\n```").next().unwrap_or_default().to_owned()
    };
    let found: Vec<String> = found.iter().map(code).collect();
    let expected = [
        "val field:Double // of Infers",
        "def block(x:Long):Long // of Infers",
        "def expr():String // of Infers",
        "def none():void // of Infers",
        "def early(x:Boolean):void // of Infers",
        "def generic[T](x:T):Rail[T]{self.size==1} // of Infers",
        "def block(x:Long):Long // of Infers",
        "val f:(Long)=>Double",
        "(Long)=>Double",
        "val g:()=>void",
        "()=>void",
        "val i:Long",
        "val h:Double",
        "val i:Long",
        "def operator*(that:Infers):Infers // of Infers",
        "def expr():String // of Infers",
        "def bad() // of Infers",
        "def circular(n:Long) // of Infers",
    ];
    assert_eq!(found, expected);
}

#[test]
fn operators_and_this_have_definitions() {
    let text = "
class Above { def this(n:Long) {} def this() {} }
class Example extends Above {
    public operator this + (that:Example):Example = this;
    public operator this(n:Long):Long = n;
    public operator this(n:Long)=(v:Long):Long = v;
    def f(var e:Example) {
        val a = e +$0 e;
        val b = e($0 3);
        e(1) =$0 2;
        e +$0= e;
        val c = th$0is;
        val d = sup$0er.typeName();
        val g = new Ab$0ove(1);
    }
}";
    let found = ask(text, |db, file, offset| {
        let (symbol, _) = crate::ide::defined_at(db, file, offset).expect("it is declared");
        let (file, range) = crate::ide::declaration(db, &symbol).expect("in a file");
        file.text(db)[..usize::from(range.start())].matches('\n').count()
    });
    let lines: Vec<usize> = found.into_iter().collect();
    let first = lines[5];
    assert_eq!(lines.iter().map(|it| it - first).collect::<Vec<_>>(), [2, 3, 4, 2, 1, 0, 0]);
}
