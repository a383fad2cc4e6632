//! Names under the cursor.

use super::cursors;
use crate::fixture::{file, host};
use crate::ide::{declaration, hover, symbol_at};

/// At each `$0`: the first line of the hover, and the line of the declaration.
fn at_cursors(text: &str) -> Vec<String> {
    let (plain, offsets) = cursors(text);
    let host = host(&plain);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let ask = |db: &dyn crate::db::Db| {
        let one = |offset: &apg_syntax::TextSize| {
            let said = hover(db, example, *offset).map(|h| h.markdown).unwrap_or_default();
            let code = said.lines().nth(1).unwrap_or_default().to_owned();
            let doc = said.lines().nth(4).map(|l| format!(" | {l}")).unwrap_or_default();
            let place = symbol_at(db, example, *offset).and_then(|(symbol, _)| declaration(db, &symbol));
            let line = place.map(|(file, range)| {
                let before = &file.text(db)[..range.start().into()];
                let name = file.path(db).file_name().unwrap_or_default().to_string_lossy().into_owned();
                format!("{name}:{}", before.matches('\n').count() + 1)
            });
            format!("{code}{doc} @ {}", line.unwrap_or_default())
        };
        offsets.iter().map(one).collect()
    };
    host.snapshot().with(ask).expect("not cancelled")
}

#[test]
fn calls_of_constructors_lead_to_them() {
    let text = "
class Shape {
    def this(name:String) {}
}
class Box extends Shape {
    def this() { this$0(1); }
    def this(n:Long) { su$0per(\"box\"); }
}
";
    let (plain, offsets) = cursors(text);
    let host = host(&plain);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let ask = |db: &dyn crate::db::Db| {
        let hovers = offsets.iter().map(|offset| hover(db, example, *offset).expect("something").markdown);
        hovers.map(|it| it.lines().nth(1).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let said = host.snapshot().with(ask).expect("not cancelled");
    assert_eq!(said, ["new Box(n:Long)", "new Shape(name:String)"]);
}

/// A call without complete arguments still has a definition.
#[test]
fn incomplete_calls_have_a_definition() {
    let text = "
class Shape {
    def grow(factor:Long):Long = factor;
    def grow(factor:Long, limit:Long):Long = factor;
    static def make() = new Shape();
    def use() {
        gr$0ow(
        this.gr$0ow(1, 2, 3);
        this.gr$0ow(\"x\");
        Shape.ma$0ke(1);
    }
}
";
    let (plain, offsets) = cursors(text);
    let host = host(&plain);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let ask = |db: &dyn crate::db::Db| {
        let hovers =
            offsets.iter().map(|offset| hover(db, example, *offset).map_or(String::new(), |h| h.markdown));
        hovers.map(|it| it.lines().nth(1).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let said = host.snapshot().with(ask).expect("not cancelled");
    assert_eq!(
        said,
        [
            "def grow(factor:Long):Long // of Shape",
            "def grow(factor:Long, limit:Long):Long // of Shape",
            "def grow(factor:Long):Long // of Shape",
            "static def make():Shape // of Shape",
        ]
    );
}

#[test]
fn names_say_what_they_stand_for() {
    let text = "
class Example[T](size:Long) {
    /** How wide it is. */
    val width:Long = 3;
    /** Makes it larger. */
    def grow(factor:Long, what:$0T) = $0width * fac$0tor + this.size$0;
    static def main(args:$0Rail[String]) {
        val e = new $0Example[String](4);
        val n = e.gr$0ow(2, \"\");
        Console.OUT.$0println($0n);
    }
}
";
    let found = at_cursors(text);
    let expected = [
        "type parameter T @ Example.x10:1",
        "val width:Long // of Example | How wide it is. @ Example.x10:3",
        "val factor:Long @ Example.x10:5",
        "val size:Long // of Example @ Example.x10:1",
        "class x10.lang.Rail[T]",
        "class Example[T] @ Example.x10:1",
        "def grow(factor:Long, what:T):Long // of Example | Makes it larger. @ Example.x10:5",
        "def println(",
        "val n:Long @ Example.x10:8",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found} instead of {expected}");
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn tokens_without_a_symbol_have_no_hover() {
    assert_eq!(at_cursors("$0class Example { val x = $0{3}; }$0"), [" @ ", " @ ", " @ "]);
}

#[test]
fn literals_say_their_type_and_value() {
    let text = "
class Example {
    static def main(args:Rail[String]) {
        val a = $00xFFn;
        val b = -$01000;
        val c = $0'A';
        val d = \"te$0xt\\n\";
        val e = $01.5f;
        val f = $07y;
        val g = true$0;
    }
}
";
    let said = |text: &str| {
        super::ask(text, |db, file, offset| hover(db, file, offset).map(|it| it.markdown))
            .into_iter()
            .map(|it| {
                it.unwrap_or_default().replace("```x10\n", "").replace("\n```", "").replace("\n\n", " ")
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        said(text),
        [
            "Int `255` = `0xff`",
            "Long `1000` = `0x3e8`",
            "Char `U+0041` = `65`",
            "String 5 characters",
            "Float `1.5`",
            "Byte",
            ""
        ]
    );
}
