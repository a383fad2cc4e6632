//! Expressions and statements of other languages: parsed as their X10 equivalents, with one error that says
//! what to write.

use crate::foreign_types::INFERRED;
use crate::parser::grammar::context::Tail;
use crate::parser::grammar::names::{name, name_ref};
use crate::parser::grammar::operand::Operand;
use crate::parser::grammar::recovery::foreign_lookahead;
use crate::parser::grammar::recovery::replacement::{adjacent, range_of, replaced, skip_as_error};
use crate::parser::grammar::{lists, lookahead};
use crate::parser::state::{Completed, Marker, Parser};
use crate::syntax_error::MistakeKind;
use crate::syntax_kind::SyntaxKind::*;

//--- `a::b`

/// Whether `::` and a name are at `index`.
pub(crate) fn at_scope(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index) == T![:]
        && p.kind_at(index + 1) == T![:]
        && p.kind_at(index + 2) == IDENT
        && adjacent(p, index)
}

/// What libraries of C++ are called in front of `::`.
const LIBRARIES: &[&str] = &["std", "Kokkos", "sycl", "thrust", "cub", "RAJA", "cooperative_groups"];

/// A name of such a library, `root` being the library's: one error for all of them.
fn report_library(p: &mut Parser<'_>, root: usize) {
    let message = match p.text(root) {
        "std" => "the library of C++ is not part of X10".to_owned(),
        name => format!("`{name}` is not part of X10"),
    };
    if p.errors.iter().any(|it| it.message == message) {
        return;
    }
    let range = range_of(p, root, root + 3);
    p.error_at(range, message);
    p.hint(match (p.text(root), p.text(root + 3)) {
        ("std", "cout" | "cerr" | "endl") => "X10 prints by `Console.OUT.println(x)`",
        ("std", _) => "the classes of X10 are in `x10.lang`, `x10.util` and `x10.array`",
        _ => "loops over activities are `finish for (i in r) async ...`; a kernel is the body of `finish async at (gpu) @CUDA { ... }`, and works on `GlobalRail`s",
    });
}

/// A statement that starts with a name of a library for devices, up to its end. Whether that was it.
pub(crate) fn library_statement(p: &mut Parser<'_>) -> bool {
    let root = p.position;
    if p.text(root) == "std" || !LIBRARIES.contains(&p.text(root)) || !at_scope(p, root + 1) {
        return false;
    }
    report_library(p, root);
    let m = p.start();
    p.bump();
    while !p.at_end() && !matches!(p.current(), T![;] | T!['}']) {
        match p.current() {
            T!['('] | T!['['] | T!['{'] => p.skip_balanced(),
            _ => p.bump(),
        }
    }
    m.complete(p, ERROR);
    p.eat(T![;]);
    true
}

/// `a::b`, at the colons.
pub(crate) fn scope(p: &mut Parser<'_>, lhs: Operand) -> Operand {
    let root = p.position.saturating_sub(1);
    if LIBRARIES.contains(&p.text(root)) {
        report_library(p, root);
        let m = lhs.node.precede(p);
        for _ in 0..3 {
            p.bump();
        }
        return Operand::expr(m.complete(p, ERROR));
    }
    let m = lhs.node.precede(p);
    replaced(p, 2, "a member is selected by `.`", "there is no `::`", ".");
    name_ref(p);
    Operand::expr(m.complete(p, FIELD_EXPR))
}

//--- Casts and tests

/// The sign in `as! T` and `as? T`, after `as`.
pub(crate) fn cast_sign(p: &mut Parser<'_>) {
    if !matches!(p.current(), T![!] | T![?]) || p.nth(1) != IDENT {
        return;
    }
    let range = range_of(p, p.position - 1, p.position);
    p.error_at(range, "a cast is written `as`, without a sign");
    p.hint("it raises an exception if the value is of another type; `instanceof` tests that before");
    p.replace_by("as".to_owned());
    let m = p.start();
    p.bump();
    m.complete(p, ERROR);
}

/// Whether `is T` is here, after a value.
pub(crate) fn at_type_test(p: &Parser<'_>) -> bool {
    p.at(IDENT) && p.nth(1) == IDENT && p.text(p.position) == "is" && !p.at_line_start()
}

/// `is`
pub(crate) fn type_test(p: &mut Parser<'_>) {
    replaced(p, 1, "the type of a value is tested by `instanceof`", "write `x instanceof T`", "instanceof");
}

/// The variable in `x instanceof T v`, after the type.
pub(crate) fn tested_variable(p: &mut Parser<'_>) {
    if !p.at(IDENT) || p.at_line_start() || !matches!(p.nth(1), T![')'] | T![&&] | T![||] | T![?] | T![;]) {
        return;
    }
    let variable = p.text(p.position).to_owned();
    // Nothing declares the variable: its uses are no mistakes of their own.
    p.unexpected("a test of a type declares no variable");
    p.hint(&format!("write `val {variable} = ... as T;` where the test holds"));
    skip_as_error(p, 1);
}

//--- Closures

/// Whether `(x:T) -> e` is here. Such formals are no value, nor are braces, so that this arrow is no
/// operator. Of `(x) -> e` only names can tell.
pub(crate) fn at_arrow_closure(p: &Parser<'_>) -> bool {
    let open = p.position;
    let Some(close) = p.matching(open).filter(|it| p.kind_at(it + 1) == T![->]) else { return false };
    let is_name = |at: usize| p.kind_at(at) == if (at - open) % 2 == 1 { IDENT } else { T![,] };
    let names = (close - open).is_multiple_of(2) && (open + 1..close).all(is_name);
    p.kind_at(open + 1) == T![')']
        || lookahead::is_typed_declarator(p, open + 1)
        || names && (close - open > 2 || p.kind_at(close + 2) == T!['{'])
}

/// Whether `-> {` is here, after the name of a formal.
pub(crate) fn at_bare_arrow(p: &Parser<'_>) -> bool {
    p.at(T![->]) && p.nth(1) == T!['{'] && p.kind_at(p.position - 1) == IDENT
}

/// The arrow of a closure.
pub(crate) fn arrow(p: &mut Parser<'_>) -> bool {
    if p.at(T![->]) {
        replaced(p, 1, "the arrow of a closure is `=>`", "write `(x:Type) => ...`", "=>");
        return true;
    }
    p.expect(T![=>])
}

//--- Declarations of locals

/// Whether `x := e` is at `index`.
pub(crate) fn is_walrus(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index) == IDENT
        && p.kind_at(index + 1) == T![:]
        && p.kind_at(index + 2) == T![=]
        && adjacent(p, index + 1)
}

/// `x := e;`
pub(crate) fn walrus(p: &mut Parser<'_>, m: Marker) {
    let range = range_of(p, p.position, p.position + 2);
    let variable = p.text(p.position).to_owned();
    p.error_at(range, "there is no `:=`");
    p.hint(&format!("`val {variable} = ...` declares a variable, `{variable} = ...` assigns to one"));
    p.replace_by(format!("val {variable} ="));
    let declarator = p.start();
    name(p);
    let colon = p.start();
    p.bump();
    colon.complete(p, ERROR);
    p.bump();
    p.parse_expr();
    declarator.complete(p, DECLARATOR);
    p.parse_semicolon();
    m.complete(p, LOCAL_DECL);
}

/// Whether `final x = e` is here; `start` is where its modifiers end.
pub(crate) fn is_final_variable(p: &Parser<'_>, start: usize) -> bool {
    start > p.position && p.kind_at(start - 1) == T![final] && p.kind_at(start + 1) == T![=]
}

/// `final x = e`, of which the modifiers are taken.
pub(crate) fn final_variable(p: &mut Parser<'_>) {
    let range = p.input.range(p.lexed, p.position - 1);
    p.error_at(range, "a variable that never changes is declared by `val`");
    p.hint("write `val` in place of `final`");
    p.replace_by("val".to_owned());
}

//--- Headers of classes

/// Whether a condition and properties are here, in this order, after the name of a class.
pub(crate) fn at_early_guard(p: &Parser<'_>) -> bool {
    if !p.at(T!['{']) {
        return false;
    }
    let open = p.matching(p.position).map(|close| close + 1).filter(|it| p.kind_at(*it) == T!['(']);
    let after = open.and_then(|open| p.matching(open));
    after.is_some_and(|close| matches!(p.kind_at(close + 1), T!['{'] | T![extends] | T![implements]))
}

/// `{c}(x:T)`
pub(crate) fn early_guard(p: &mut Parser<'_>) {
    let start = p.position;
    lists::condition(p, GUARD);
    let middle = p.position;
    p.parse_property_list();
    if p.last_error == p.position {
        return;
    }
    let text = p.text_of(middle, p.position).to_owned() + p.text_of(start, middle);
    let range = p.range_since(start);
    p.error_at(range, "the condition of a class follows its properties");
    p.hint(&format!("write `{text}`"));
    p.replace_by(text);
}

//--- Methods

/// The modifier.
pub(crate) fn modifier(p: &mut Parser<'_>) {
    let word = p.text(p.position).to_owned();
    let hint = match word.as_str() {
        "override" | "virtual" | "open" => {
            "methods can be overridden that are not `final` or `static`, and are checked when they do"
        }
        "inline" | "constexpr" => {
            "small methods are put into their callers in any case; `@Inline` of `x10.compiler` asks for it"
        }
        "synchronized" => {
            "`atomic { ... }` keeps the other activities of its place away; `x10.util.concurrent.Lock` is a lock"
        }
        _ => "fields that never change are `val`, classes that are not extended `final`",
    };
    replaced(p, 1, &format!("there is no modifier `{word}`"), hint, "");
}

/// Words that declare a function elsewhere.
const DEF: &[&str] = &["fn", "func", "fun", "function", "sub", "proc"];

/// Whether a method starts at `index` with another word than `def`.
pub(crate) fn is_method(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index) == IDENT
        && DEF.contains(&p.text(index))
        && p.kind_at(index + 1) == IDENT
        && matches!(p.kind_at(index + 2), T!['('] | T!['['] | T![<])
}

/// The word.
pub(crate) fn def(p: &mut Parser<'_>) {
    replaced(p, 1, "a method is declared by `def`", "write `def name(x:Type):Result`", "def");
}

/// A constructor without `def`, at `this`.
pub(crate) fn undeclared_constructor(p: &mut Parser<'_>, m: Marker) {
    let hint = "a constructor is declared by `def this(x:Type) { ... }`";
    replaced(p, 1, "expected `def`", hint, "def this");
    p.parse_constructor_rest(m);
}

/// A method without `def`, at its name; one with the name of a class is a constructor.
pub(crate) fn undeclared_method(p: &mut Parser<'_>, m: Marker) {
    let word = p.text(p.position);
    if word.starts_with(char::is_uppercase) && p.nth(1) == T!['('] {
        return undeclared_constructor(p, m);
    }
    let name = word.to_owned();
    p.error("expected `def`");
    p.hint("a method is declared by `def name(x:Type):Result { ... }`, a constructor by `def this(x:Type) { ... }`");
    p.replace_by(format!("def {name}"));
    p.parse_method(m);
}

/// What other languages let follow the type of a formal: a value for calls that give none, or a sign that
/// there are many.
pub(crate) fn formal_end(p: &mut Parser<'_>) {
    if p.at(T![=]) {
        // Calls may give fewer arguments than there are formals.
        p.unexpected("a formal has no value of its own");
        p.hint("write a second method with fewer formals, which calls this one with the value");
        let m = p.start();
        p.bump();
        p.parse_expr();
        m.complete(p, ERROR);
    } else if matches!(p.current(), T![...] | T![*]) && matches!(p.nth(1), T![')'] | T![,] | IDENT) {
        p.unexpected("a method has as many arguments as it has formals");
        p.hint("take a rail, `xs:Rail[T]`, and call it with `[a, b, c]`");
        let count = if p.nth(1) == IDENT { 2 } else { 1 };
        skip_as_error(p, count);
    }
}

/// `(e)` after `catch`, at the name, which only in small letters is none of a type. Whether it is here.
pub(crate) fn untyped_exception(p: &mut Parser<'_>) -> bool {
    let name = p.text(p.position);
    if !(p.at(IDENT) && p.nth(1) == T![')'] && name.starts_with(char::is_lowercase)) {
        return false;
    }
    p.error_at(p.input.range(p.lexed, p.position), "a `catch` says which exceptions it takes");
    p.hint("`Exception` is the class of all but errors of the system");
    p.replace_by(format!("{name}:Exception"));
    let m = p.start();
    self::name(p);
    m.complete(p, FORMAL);
    p.bump();
    true
}

/// Whether `T => U` is here as a type: a function type without its parentheses.
pub(crate) fn at_bare_function_type(p: &Parser<'_>) -> bool {
    p.at(IDENT) && matches!(p.nth(1), T![=>] | T![->]) && p.nth(2) == IDENT
}

/// `T => U` as a type.
pub(crate) fn bare_function_type(p: &mut Parser<'_>) {
    let argument = p.text(p.position).to_owned();
    let range = p.input.range(p.lexed, p.position);
    p.error_at(range, "the arguments of a function type stand in parentheses");
    p.hint(&format!("write `({argument})=>{}`", p.text(p.position + 2)));
    p.replace_by(format!("({argument})"));
    let (function, list, formal) = (p.start(), p.start(), p.start());
    let ty = p.start();
    name_ref(p);
    ty.complete(p, NAMED_TYPE);
    formal.complete(p, FORMAL);
    list.complete(p, FORMAL_LIST);
    p.bump();
    p.parse_type();
    function.complete(p, FUNCTION_TYPE);
}

/// `property p:T;`, after `property`, as a member of a class. Whether it is here.
pub(crate) fn property_as_field(p: &mut Parser<'_>) -> bool {
    if !p.at(IDENT) || p.nth(1) != T![:] {
        return false;
    }
    let range = p.input.range(p.lexed, p.position - 1);
    p.error_at(range, "properties stand after the name of their class");
    p.hint(&format!("write `class C({}:Type)`; a field is declared by `val`", p.text(p.position)));
    true
}

//--- Statements

/// What should are in parentheses, and does not: up to the braces of the body.
pub(crate) fn without_parens(p: &mut Parser<'_>) {
    let start = p.position;
    p.parse_header_expr();
    if p.position == start {
        return;
    }
    // `if x) {`
    if p.at(T![')']) {
        let range = apg_source::TextRange::empty(p.input.range(p.lexed, start).start());
        p.error_at(range, "expected `(`");
        p.replace_by("(".to_owned());
        p.bump();
        return;
    }
    parenthesise(p, start, p.text_of(start, p.position));
}

/// What the tokens from `start` on, meant as `text`, should are in.
fn parenthesise(p: &mut Parser<'_>, start: usize, text: &str) {
    if p.last_error == p.position {
        return;
    }
    let range = p.range_since(start);
    p.error_at(range, "this must be in parentheses");
    p.hint(&format!("write `({text})`"));
    p.replace_by(format!("({text})"));
}

/// Whether `x in e`, `x of e` or `x : e` is here without parentheses.
pub(crate) fn at_bare_loop(p: &Parser<'_>) -> bool {
    p.at(IDENT) && (p.nth(1) == T![in] || is_other_in(p, p.position + 1))
}

/// What other languages write for `in`.
fn is_other_in(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index) == T![:] || p.kind_at(index) == IDENT && p.text(index) == "of"
}

/// `x in e`
pub(crate) fn bare_loop(p: &mut Parser<'_>) {
    let start = p.position;
    if p.nth(1) == T![in] {
        p.parse_loop_variable();
        p.expect(T![in]);
    } else {
        let m = p.start();
        name(p);
        m.complete(p, FORMAL);
        skip_as_error(p, 1);
    }
    let collection = p.position;
    p.parse_header_expr();
    let text = format!("{} in {}", p.text(start), p.text_of(collection, p.position));
    parenthesise(p, start, &text);
}

/// Where the variable is, if the header `(x : e)`, `(val x : e)`, `(x of e)` or `(let x in e)` opens here.
pub(crate) fn colon_loop_variable(p: &Parser<'_>, form: lookahead::Header) -> Option<usize> {
    let first = p.position + 1;
    let name = match p.kind_at(first) {
        T![final] => foreign_lookahead::name_after_type(p, first + 1).unwrap_or(first + 1),
        T![val] | T![var] => first + 1,
        IDENT if INFERRED.contains(&p.text(first)) && p.kind_at(first + 1) == IDENT => {
            foreign_lookahead::name_after_type(p, first).unwrap_or(first + 1)
        }
        _ => first,
    };
    let is_header = match form {
        lookahead::Header::In => p.kind_at(first) == IDENT && name > first && p.kind_at(name + 1) == T![in],
        lookahead::Header::Bare => is_other_in(p, name + 1),
        lookahead::Header::Basic => false,
    };
    (p.at(T!['(']) && p.kind_at(name) == IDENT && is_header).then_some(name)
}

/// `(x : e)`
pub(crate) fn colon_loop(p: &mut Parser<'_>, variable: usize) {
    let open = p.position;
    p.bump();
    let first = p.position;
    if first < variable {
        skip_as_error(p, variable - first);
    }
    let m = p.start();
    name(p);
    m.complete(p, FORMAL);
    let range = range_of(p, first, p.position);
    let text = p.text(variable);
    let tight = adjacent(p, p.position);
    if p.at(T![in]) {
        p.error_at(range, format!("the variable of a loop has no `{}`", p.text_of(first, variable)));
    } else {
        p.error_at(range, "a loop over a collection has `in`");
    }
    p.hint(&format!("write `({text} in ...)`"));
    p.replace_by(format!("{text} in{}", if tight { " " } else { "" }));
    if !p.eat(T![in]) {
        skip_as_error(p, 1);
    }
    p.parse_expr();
    lists::close_bracket(p, open, T![')']);
}

/// Words for loops whose rounds run at once.
const PARALLEL: &[&str] = &["foreach", "forall", "coforall", "parfor", "pfor"];

/// Whether `foreach (x in e)` starts at `index`.
pub(crate) fn at_foreach(p: &Parser<'_>, index: usize) -> bool {
    let variable = match p.kind_at(index + 1) {
        T!['('] => index + 2,
        _ => index + 1,
    };
    let after = match p.kind_at(variable) {
        IDENT => variable + 1,
        T!['['] => p.matching(variable).map_or(variable, |it| it + 1),
        _ => return false,
    };
    PARALLEL.contains(&p.text(index)) && matches!(p.kind_at(after), T![in] | T![:])
}

/// `elif`, where an `else if` may stand; it is taken.
pub(crate) fn else_if(p: &mut Parser<'_>) -> bool {
    // `elif(x);` calls a method.
    let is_call = |close: usize| matches!(p.kind_at(close + 1), T![;] | T![.] | T!['(']);
    let found = p.at(IDENT)
        && matches!(p.text(p.position), "elif" | "elsif" | "elseif")
        && p.nth(1) == T!['(']
        && !p.matching(p.position + 1).is_some_and(is_call);
    if found {
        replaced(p, 1, "`else if` is two words", "write `else if (...)`", "else if");
    }
    found
}

/// After a last expression without `;` that does nothing: it was meant as the value of the method. Whether it
/// was.
pub(crate) fn value_without_return(p: &mut Parser<'_>, start: usize, expr: Completed) -> bool {
    let idle = matches!(
        expr.kind,
        BIN_EXPR | NAME_EXPR | FIELD_EXPR | LITERAL | CONDITIONAL_EXPR | PREFIX_EXPR | CAST_EXPR | THIS_EXPR
    );
    // An expression that is not complete has an error of its own.
    if !idle || !matches!(p.current(), T!['}'] | T![else]) || p.last_error == p.position {
        return false;
    }
    let text = p.text_of(start, p.position).to_owned();
    let range = p.range_since(start);
    p.error_at(range, "a value is returned by `return`");
    p.mark_mistake(MistakeKind::NoReturn);
    p.hint(&format!("write `return {text};`"));
    p.replace_by(format!("return {text};"));
    true
}

/// `x.f)`, where a statement ends: a name alone is none, a call is.
pub(crate) fn unopened_call(p: &mut Parser<'_>) {
    let is_name = p.kind_at(p.position - 1) == IDENT;
    if !(is_name && p.at(T![')']) && p.nth(1) == T![;] && p.matching(p.position).is_none()) {
        return;
    }
    let name = p.text(p.position - 1);
    p.unexpected("this `)` closes nothing");
    p.hint(&format!("write `{name}()` for a call"));
    p.replace_by("()".to_owned());
    skip_as_error(p, 1);
}

/// Whether `(reducer) { ... }` follows a `finish` that starts a statement.
pub(crate) fn is_collecting(p: &Parser<'_>) -> bool {
    p.at(T!['(']) && p.matching(p.position).is_some_and(|close| p.kind_at(close + 1) == T!['{'])
}

/// A `finish` that collects, after its keyword: the value of the block at its end, else nothing takes what it
/// gives.
pub(crate) fn collecting_statement(p: &mut Parser<'_>, m: Marker, tail: Tail) -> bool {
    let keyword = p.input.range(p.lexed, p.position - 1);
    p.parse_in_parens();
    p.parse_block(Tail::No);
    let expr = m.complete(p, FINISH_EXPR);
    if tail == Tail::Value && p.at(T!['}']) {
        return true;
    }
    p.error_at(keyword, "nothing takes what this `finish` collects");
    p.hint("it is an expression: `val result = finish (reducer) { ... };`");
    let m = expr.precede(p);
    p.eat(T![;]);
    m.complete(p, EXPR_STMT);
    false
}
