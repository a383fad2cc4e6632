//! Clauses of directives (OpenMP 5.2 section 3.2, OpenACC 3.2).

use super::directive_table::{self, Family, Shape};
use super::*;

/// Ends of an error in a clause.
const CLAUSE_END: TokenSet = TokenSet::new(&[COMMA, R_PAREN]);

/// All clauses to the end of the directive of this name; commas may stand between them.
pub(super) fn clauses(p: &mut Parser<'_>, family: Family, directive: &str) {
    clauses_until(p, family, directive, TokenSet::new(&[]));
}

/// All clauses up to a token of `end` or the end of the directive.
fn clauses_until(p: &mut Parser<'_>, family: Family, directive: &str, end: TokenSet) {
    while !p.at_end() && !end.contains(p.current()) {
        if p.eat(COMMA) {
            continue;
        }
        if !p.at(IDENT) && !p.current().is_keyword() {
            p.error("a clause is missing here");
            let m = p.start();
            match p.at(L_PAREN) {
                true => {
                    p.bump();
                    balanced(p);
                    p.eat(R_PAREN);
                }
                false => p.bump(),
            }
            m.complete(p, ERROR);
            continue;
        }
        clause(p, family, directive);
    }
}

fn clause(p: &mut Parser<'_>, family: Family, directive: &str) {
    let text = p.text(0);
    let shape = shape(p, family, directive, text);
    if shape.is_none() {
        let close = apg_source::closest(text, directive_table::clauses(family));
        let hint = close.map(|it| format!("did you mean `{it}`?"));
        p.error_with(format!("`{text}` is not a clause"), hint, close.map(str::to_string));
    }
    let m = p.start();
    word(p);
    if family == Family::XcalableMp
        && matches!(text, "on" | "onto" | "with" | "from" | "to")
        && !p.at(L_PAREN)
    {
        xcalablemp::mapping_refs(p);
        m.complete(p, CLAUSE);
        return;
    }
    if family == Family::XcalableMp && matches!(text, "width" | "expand" | "margin") && p.at(L_PAREN) {
        xcalablemp::widths(p);
        m.complete(p, CLAUSE);
        return;
    }
    if p.at(L_PAREN) {
        p.bump();
        match shape {
            None | Some(Shape::Balanced) => balanced(p),
            Some(_) if p.at(R_PAREN) => {}
            Some(Shape::Words) => words(p),
            Some(Shape::Variant) => variant(p, family),
            Some(Shape::Selectors) => {
                selectors(p);
                if p.eat(COLON) {
                    variant(p, family);
                }
            }
            Some(Shape::ItemsThenModifiers) => {
                items(p);
                if p.eat(COLON) {
                    modifiers(p);
                }
            }
            Some(Shape::WordThenItems) => {
                if has_colon(p) {
                    modifiers(p);
                    p.expect(COLON);
                }
                keyword_item(p);
                if p.eat(COMMA) {
                    items(p);
                }
            }
            Some(_) if family == Family::XcalableMp && text == "reduction" => {
                modifiers(p);
                p.expect(COLON);
                xcalablemp::reduction_items(p);
            }
            Some(Shape::Items | Shape::Optional) => {
                if has_colon(p) {
                    modifiers(p);
                    p.expect(COLON);
                }
                items(p);
            }
        }
        if !p.at(R_PAREN) {
            p.error(format!("the `)` of clause `{text}` is missing here"));
            p.skip_to(TokenSet::new(&[R_PAREN]));
        }
        p.eat(R_PAREN);
    } else if shape.is_some() && needs_argument(family, text) {
        p.error(format!("clause `{text}` needs `(...)` after it"));
    }
    m.complete(p, CLAUSE);
}

/// What the argument of the clause here is.
fn shape(p: &Parser<'_>, family: Family, directive: &str, clause: &str) -> Option<Shape> {
    match clause {
        // The directive that stands for this one.
        "default" if directive.ends_with("metadirective") => Some(Shape::Variant),
        "initializer" if p.peek(3) == EQ && p.peek(4) == L_CURLY => Some(Shape::Balanced),
        _ => directive_table::shape(family, clause),
    }
}

/// Clauses of OpenMP that mean nothing without their argument.
fn needs_argument(family: Family, name: &str) -> bool {
    let optional = [
        "full",
        "partial",
        "ordered",
        "destroy",
        "update",
        "exclusive",
        "indirect",
        "filter",
        "nocontext",
        "novariants",
    ];
    family == Family::OpenMp
        && matches!(
            directive_table::shape(family, name),
            Some(Shape::Items | Shape::Words | Shape::WordThenItems | Shape::ItemsThenModifiers)
        )
        && !optional.contains(&name)
}

/// Whether a colon stands before the closing parenthesis, outside of brackets and conditional expressions.
fn has_colon(p: &Parser<'_>) -> bool {
    let mut depth = 0;
    let mut questions = 0;
    for ahead in 0.. {
        match p.peek(ahead) {
            EOF => return false,
            L_PAREN | L_BRACK | L_CURLY => depth += 1,
            R_PAREN | R_BRACK | R_CURLY if depth == 0 => return false,
            R_PAREN | R_BRACK | R_CURLY => depth -= 1,
            QUESTION if depth == 0 => questions += 1,
            COLON if depth == 0 && questions > 0 => questions -= 1,
            COLON if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Modifiers before a colon, or after it.
fn modifiers(p: &mut Parser<'_>) {
    while !p.at_end() && !p.at(COLON) && !p.at(R_PAREN) {
        if p.eat(COMMA) {
            continue;
        }
        let before = p.position;
        let m = p.start();
        match p.current() {
            PLUS | MINUS | STAR | AMP | PIPE | CARET | AMP2 | PIPE2 => reduction_operator(p),
            kind if kind == IDENT || kind.is_keyword() => {
                let is_iterator = p.text(0) == "iterator" && p.nth(1) == L_PAREN;
                let is_word = matches!(p.nth(1), COMMA | COLON | R_PAREN | L_PAREN | IDENT);
                if is_iterator {
                    word(p);
                    iterators(p);
                } else if is_word {
                    word(p);
                    if p.eat(L_PAREN) {
                        items(p);
                        p.expect(R_PAREN);
                    }
                } else {
                    item(p);
                }
            }
            _ => item(p),
        }
        m.complete(p, CLAUSE_MODIFIER);
        if p.position == before {
            p.bump_error("a modifier is missing here");
        }
    }
}

/// An operator of a reduction: punctuation or a name.
pub(super) fn reduction_operator(p: &mut Parser<'_>) {
    let m = p.start();
    match p.current() {
        PLUS | MINUS | STAR | AMP | PIPE | CARET | AMP2 | PIPE2 => p.bump(),
        IDENT => word(p),
        _ => p.error("the operator of a reduction is missing here"),
    }
    m.complete(p, REDUCTION_OPERATOR);
}

fn iterators(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    while !p.at_end() && !p.at(R_PAREN) {
        let before = p.position;
        let one = p.start();
        if specifiers::at_type(p, 0) {
            specifiers::type_name_of_iterator(p);
        }
        name(p);
        p.expect(EQ);
        let bounds = p.start();
        xcalablemp::subscript_bounds(p);
        bounds.complete(p, SUBSCRIPT);
        one.complete(p, ITERATOR);
        if !p.eat(COMMA) && p.position == before {
            break;
        }
    }
    p.expect(R_PAREN);
    m.complete(p, ITERATOR_LIST);
}

/// Items with commas between them, up to the closing parenthesis or a colon.
pub(super) fn items(p: &mut Parser<'_>) {
    while !p.at_end() && !p.at(R_PAREN) && !p.at(COLON) {
        if p.at(COMMA) {
            p.bump_error("an item is missing here");
            continue;
        }
        let before = p.position;
        item(p);
        if p.position == before || !matches!(p.current(), COMMA | R_PAREN | COLON | EOF) {
            p.error("`,` or `)` is missing here");
            p.skip_to(CLAUSE_END);
        }
        // GCC accepts a comma behind the last item.
        if !p.eat(COMMA) {
            return;
        }
    }
}

fn item(p: &mut Parser<'_>) {
    let is_star = p.at(STAR) && matches!(p.nth(1), COMMA | R_PAREN | COLON);
    if is_star || (!primary::at_expression(p) && p.current().is_keyword()) {
        return keyword_item(p);
    }
    if specifiers::at_type(p, 0) {
        return specifiers::type_name(p);
    }
    expressions::assignment(p);
}

/// A word of the specification, or `*`.
pub(super) fn keyword_item(p: &mut Parser<'_>) {
    let m = p.start();
    match p.current() {
        STAR => p.bump(),
        kind if kind == IDENT || kind.is_keyword() => word(p),
        _ => p.error("a word is missing here"),
    }
    m.complete(p, KEYWORD_ITEM);
}

/// Words of the specification with colons and commas between them.
fn words(p: &mut Parser<'_>) {
    loop {
        keyword_item(p);
        if !p.eat(COMMA) && !p.eat(COLON) {
            return;
        }
    }
}

/// Anything up to the closing parenthesis.
pub(super) fn balanced(p: &mut Parser<'_>) {
    let mut depth = 0;
    while !p.at_end() {
        match p.current() {
            L_PAREN => depth += 1,
            R_PAREN if depth == 0 => return,
            R_PAREN => depth -= 1,
            _ => {}
        }
        p.bump();
    }
}

/// Context selectors (OpenMP 5.2, section 7.1) up to the closing parenthesis, or to the colon in front of a
/// directive. Conditions and numbers of devices are expressions, all else is left as tokens.
fn selectors(p: &mut Parser<'_>) {
    let (mut parentheses, mut braces) = (0_u32, 0_u32);
    while !p.at_end() {
        match p.current() {
            R_PAREN if parentheses == 0 => return,
            COLON if parentheses == 0 && braces == 0 => return,
            L_PAREN => parentheses += 1,
            R_PAREN => parentheses -= 1,
            L_CURLY => braces += 1,
            R_CURLY => braces = braces.saturating_sub(1),
            _ => {}
        }
        let has_expression = matches!(p.text(0), "condition" | "device_num") && p.nth(1) == L_PAREN;
        p.bump();
        if has_expression {
            p.bump();
            score(p);
            if !p.at(R_PAREN) {
                expressions::expression(p);
            }
            balanced(p);
            p.eat(R_PAREN);
        }
    }
}

/// `score(5):` in front of a property.
fn score(p: &mut Parser<'_>) {
    if p.text(0) == "score" && p.nth(1) == L_PAREN {
        p.bump();
        p.bump();
        balanced(p);
        p.eat(R_PAREN);
        p.eat(COLON);
    }
}

/// The directive that a clause of `metadirective` names, without `#pragma omp`.
fn variant(p: &mut Parser<'_>, family: Family) {
    let words: Vec<&str> = (0..8).map(|it| p.text(it)).take_while(|it| !it.is_empty()).collect();
    let Some((count, _)) = directive_table::find(family, &words) else {
        if !p.at(R_PAREN) {
            super::directive::unknown_directive(p, family, &words);
            p.skip_to(TokenSet::new(&[R_PAREN]));
        }
        return;
    };
    let name = words[..count].join(" ");
    let m = p.start();
    for _ in 0..count {
        word(p);
    }
    m.complete(p, DIRECTIVE_NAME);
    super::directive::argument(p, family, &name);
    clauses_until(p, family, &name, TokenSet::new(&[R_PAREN]));
}
