use super::{format, formatted};
use apg_source::{TextRange, TextSize};

#[track_caller]
fn check(text: &str, expected: &str) {
    let result = formatted(text).unwrap();
    assert_eq!(result, expected);
    assert_eq!(formatted(&result).unwrap(), expected, "formatting again changes it");
}

#[test]
fn spacing() {
    check(
        "class  A [ T ] ( x : Int ){ x>0 } extends B{ self!=null }{ val y:Int=- 1 ; }",
        "class A[T](x:Int){x > 0} extends B{self != null} { val y:Int = -1; }\n",
    );
    check(
        "class A{def f( g : ( Int ) => Int , x:Int ):void{a( i )+=g( x )*2;for(i in 0 .. n-1)x ++;}}",
        "class A { def f(g:(Int)=>Int, x:Int):void { a(i) += g(x) * 2; for (i in 0..n - 1) x++; } }\n",
    );
    check(
        "class A { operator this+(x:A) = this;static operator - (x:A)=x;operator this (i:Int)=(v:Int)=v; def f()=a.operator + (b); }",
        "class A { operator this + (x:A) = this; static operator -(x:A) = x; operator this(i:Int) = (v:Int) = v; def f() = a.operator+(b); }\n",
    );
    check(
        "class A { def f()=x?(y) : ( z:Int )=>z+- -1; }",
        "class A { def f() = x ? (y) : (z:Int) => z + - -1; }\n",
    );
    check("class A { val x=1.f(); val y=1.operator+; }", "class A { val x = 1.f(); val y = 1.operator+; }\n");
    check("class A {\n    val x = 1  .f();\n}\n", "class A {\n    val x = 1 .f();\n}\n");
}

#[test]
fn indentation() {
    check(
        "class A {\n@Native(\"c++\",\n\"x\")\npublic def f()\n{\nif (x)\ny();\nelse if (z)\n{\nfoo(a,\nb, () => {\nbar();\n});\n}\nval q = a +\nb\n.c();\n}\n}",
        "class A {\n    @Native(\"c++\",\n        \"x\")\n    public def f()\n    {\n        if (x)\n            y();\n        else if (z)\n        {\n            foo(a,\n                b, () => {\n                    bar();\n                });\n        }\n        val q = a +\n            b\n            .c();\n    }\n}\n",
    );
    check(
        "class A { def f() {\nswitch (x) {\ncase 1:\ncase 2:\nf();\nbreak;\ndefault: g();\n}\nfinish async at (p) @CUDA {\n// in\nx();\n// end\n}\n} }",
        "class A { def f() {\n    switch (x) {\n        case 1:\n        case 2:\n            f();\n            break;\n        default: g();\n    }\n    finish async at (p) @CUDA {\n        // in\n        x();\n        // end\n    }\n} }\n",
    );
}

#[test]
fn comments_and_blank_lines() {
    check(
        "\n\n/**\n* Doc.\n  * More.\n*/\nclass A { // one\n\n\n\n   val x = 1;   // two\n\t/* three */ val y = 2;\n}\n\n\n",
        "/**\n * Doc.\n * More.\n */\nclass A { // one\n\n    val x = 1;   // two\n    /* three */ val y = 2;\n}\n",
    );
    check("", "");
    check("\u{feff} class A { }\r\n  // x\r\n", "\u{feff}class A {}\r\n// x\r\n");
}

#[test]
fn errors_leave_the_text_alone() {
    assert!(format("class A { def }", None).is_err());
}

#[test]
fn a_range_limits_the_edits() {
    let text = "class A {\nval x=1;\nval y=2;\n}\n";
    let line = TextRange::new(TextSize::new(10), TextSize::new(18));
    let mut result = text.to_string();
    format(text, Some(line)).unwrap().iter().rev().for_each(|it| it.apply(&mut result));
    assert_eq!(result, "class A {\n    val x = 1;\nval y=2;\n}\n");
}

#[test]
fn typing_formats_the_line() {
    let text = "class A {\ndef f() {\nx  =  1;\n}\nval broken = ;\n}\n";
    let offset = TextSize::new(text.find(";\n").unwrap() as u32 + 1);
    let mut result = text.to_string();
    let edits = super::format_on_type(&crate::parse::parse(text), offset, ';');
    edits.iter().rev().for_each(|it| it.apply(&mut result));
    assert_eq!(result, "class A {\ndef f() {\n        x = 1;\n}\nval broken = ;\n}\n");
    assert!(super::format_on_type(&crate::parse::parse(text), offset, 'x').is_empty());
}

/// Neither is a line end added behind the cursor, nor are those taken away that somebody has just written.
#[test]
fn typing_leaves_empty_lines_at_the_end() {
    for (text, typed) in [("import a.B;", ';'), ("import a.B;\n\n", '\n'), ("class A {\n}\n\n\n", '\n')] {
        let edits = super::format_on_type(&crate::parse::parse(text), TextSize::of(text), typed);
        assert_eq!(edits, [], "{text:?}");
    }
}

/// A new line stands where what comes there will, whatever the client wrote at its start.
#[test]
fn a_line_that_is_begun_is_indented() {
    for text in [
        "class A {\n    |\n}\n",
        "class A {\n    |",
        "class A {\n    def f() {\n        |\n    }\n}\n",
        "class A {\n    def f() {\n        val a = 1;\n        |\n    }\n}\n",
        "class A {\n    def f() {\n        val a =\n            |\n    }\n}\n",
        "class A {\n    def f() {\n        val a = 1 +\n            2 +\n            |\n    }\n}\n",
        "class A {\n    def f() {\n        g(1,\n            |);\n    }\n}\n",
        "class A {\n    def f() {\n        g(\n            |\n        );\n    }\n}\n",
        "class A {\n    def f(\n        |\n    ) {}\n}\n",
        "class A {\n    def f(a:Long,\n        |b:Long) {}\n}\n",
        "class A {\n    def f() {\n        if (a)\n            |\n    }\n}\n",
        "class A {\n    def f() {\n        if (a)\n        |{}\n    }\n}\n",
        "class A {\n    def f() {\n        if (a) b();\n        else\n            |\n    }\n}\n",
        "class A {\n    def f() {\n        if (a) {\n        }\n        |\n    }\n}\n",
        "class A {\n    def f() {\n    |}\n}\n",
        "class A {\n    @Inline\n    |\n}\n",
        "class A\n    implements B,\n    |",
        "class A {\n    def f() {\n        switch (a) {\n            case 1:\n                |\n        }\n    }\n}\n",
        "class A {\n    def f() {\n        switch (a) {\n            case 1:\n                g();\n                |\n        }\n    }\n}\n",
        "class A {\n    def f() {\n        finish for (i in 0..9) async {\n            |\n        }\n    }\n}\n",
        "class A {\n    def f() {\n        val c = (n:Long) => {\n            |\n        };\n    }\n}\n",
        "class A {\n}\n|",
    ] {
        let (before, after) = text.split_once('|').expect("a cursor");
        let line = before.trim_end_matches(' ');
        for blank in ["", "  ", "                  ", &before[line.len()..]] {
            let (start, cursor) = (TextSize::of(line), TextSize::of(line) + TextSize::of(blank));
            let mut typed = format!("{line}{blank}{after}");
            let edits = super::format_on_type(&crate::parse::parse(&typed), cursor, '\n');
            let of_line = edits.iter().filter(|it| it.range.start() >= start);
            of_line.for_each(|it| it.apply(&mut typed));
            assert_eq!(typed, format!("{before}{after}"), "{blank:?}");
        }
    }
    // Within a comment or a text, white space is theirs.
    for text in ["class A {\n    /* a\n|\n    */\n}\n", "class A {\n    val a = \"x\n|y\";\n}\n"] {
        let typed = text.replace('|', "");
        let cursor = TextSize::new(text.find('|').expect("a cursor") as u32);
        assert_eq!(super::format_on_type(&crate::parse::parse(&typed), cursor, '\n'), [], "{text}");
    }
}

/// Clients take no edits that overlap, nor is a line another that somebody has written in.
#[test]
fn a_line_is_indented_once() {
    for text in [
        "        val a = 1;\n      // |\n",
        "class A {\n  // a\n // |\n}\n",
        "class A {\n  val a = 1;\n  b|\n}\n",
    ] {
        let cursor = TextSize::new(text.find('|').expect("a cursor") as u32);
        let edits = super::format_on_type(&crate::parse::parse(&text.replace('|', "")), cursor, '\n');
        let apart = edits.windows(2).all(|two| two[0].range.end() < two[1].range.start());
        let line = TextSize::new(text[..usize::from(cursor)].rfind('\n').expect("a line") as u32 + 1);
        assert!(
            apart && edits.iter().all(|it| it.range.end() <= line + TextSize::new(8)),
            "{text:?}: {edits:?}"
        );
    }
    // Behind text, only what is formatted whole is moved.
    let text = "class A {\n    def f(\n  a";
    assert_eq!(super::format_on_type(&crate::parse::parse(text), TextSize::of(text), '\n'), []);
}
