//! Directives of OpenMP, OpenACC and XcalableMP: `#pragma omp ...` with its clauses, and what it is about.

use super::clauses::clauses;
use super::directive_table::{self, Association, Family};
use super::*;

/// A directive as a statement, with the statement that it is about.
pub(super) fn directive_statement(p: &mut Parser<'_>) {
    let m = p.start();
    if directive(p) == Association::Statement {
        if p.at(R_CURLY) || p.at_end() {
            p.error("this directive needs a statement after it");
        } else if specifiers::at_declaration(p) {
            p.error("this directive needs a statement after it, not a declaration");
        } else {
            statements::statement(p);
        }
    }
    m.complete(p, DIRECTIVE_STMT);
}

/// A directive at file scope, with the declaration that it is about.
pub(super) fn directive_declaration(p: &mut Parser<'_>) {
    let m = p.start();
    if directive(p) == Association::Declaration && !p.at_end() {
        declarations::external_declaration(p);
    }
    m.complete(p, DIRECTIVE_DECL);
}

/// A directive alone.
pub(super) fn directive(p: &mut Parser<'_>) -> Association {
    let m = p.start();
    p.bump();
    let before = (p.in_directive, p.allows_sections);
    p.in_directive = true;
    p.allows_sections = true;
    let family = match p.text(0) {
        "acc" => Family::OpenAcc,
        "xmp" => Family::XcalableMp,
        _ => Family::OpenMp,
    };
    let sentinel = p.start();
    word(p);
    sentinel.complete(p, SENTINEL);
    let association = body(p, family);
    while !p.at_end() {
        p.bump_error("this does not belong to the directive");
        p.skip_to(TokenSet::new(&[]));
    }
    (p.in_directive, p.allows_sections) = before;
    p.take();
    m.complete(p, DIRECTIVE);
    association
}

fn body(p: &mut Parser<'_>, family: Family) -> Association {
    let words: Vec<&str> = (0..8).map(|it| p.text(it)).take_while(|it| !it.is_empty()).collect();
    let Some((count, association)) = directive_table::find(family, &words) else {
        unknown_directive(p, family, &words);
        p.skip_to(TokenSet::new(&[]));
        return Association::None;
    };
    let name = words[..count].join(" ");
    let m = p.start();
    for _ in 0..count {
        word(p);
    }
    m.complete(p, DIRECTIVE_NAME);
    // With a list or a dependence the following stand alone.
    let rest = (0..).map(|it| p.text(it)).take_while(|it| !it.is_empty());
    let stands_alone = match (family, name.as_str()) {
        (Family::OpenMp, "ordered") => rest.into_iter().any(|it| matches!(it, "depend" | "doacross")),
        (Family::OpenAcc, "routine") => p.at(L_PAREN),
        _ => false,
    };
    match family {
        Family::XcalableMp => xcalablemp::arguments(p),
        _ => argument(p, family, &name),
    }
    clauses(p, family, &name);
    if stands_alone { Association::None } else { association }
}

/// Reports a directive that its specification does not have.
pub(super) fn unknown_directive(p: &mut Parser<'_>, family: Family, words: &[&str]) {
    let specification = match family {
        Family::OpenMp => "OpenMP",
        Family::OpenAcc => "OpenACC",
        Family::XcalableMp => "XcalableMP",
    };
    let Some(&first) = words.first() else {
        return p.error(format!("the name of a directive of {specification} is missing here"));
    };
    let firsts = directive_table::directives(family).filter_map(|it| it.split(' ').next());
    let close = apg_source::closest(first, firsts);
    let hint = close.map(|it| format!("did you mean `{it}`?"));
    p.error_with(format!("`{first}` is not a directive of {specification}"), hint, close.map(str::to_string));
}

/// The parenthesis after the name of some directives.
pub(super) fn argument(p: &mut Parser<'_>, family: Family, name: &str) {
    let takes_argument = match family {
        Family::OpenMp => matches!(
            name,
            "critical"
                | "flush"
                | "threadprivate"
                | "declare reduction"
                | "declare mapper"
                | "declare target"
                | "declare variant"
                | "allocate"
                | "groupprivate"
                | "depobj"
                | "accessible"
                | "begin declare variant"
        ),
        Family::OpenAcc => matches!(name, "cache" | "wait" | "routine"),
        Family::XcalableMp => false,
    };
    if !p.at(L_PAREN) || !takes_argument {
        if matches!(name, "threadprivate" | "declare reduction" | "accessible") {
            p.error(format!("`{name}` needs `(...)` after it"));
        }
        return;
    }
    let m = p.start();
    p.bump();
    match name {
        "declare reduction" => reduction_declaration(p),
        "declare mapper" => mapper_declaration(p),
        _ => clauses::items(p),
    }
    p.expect(R_PAREN);
    m.complete(p, DIRECTIVE_ARGUMENT);
}

/// `name : type variable` of `declare mapper`, the name of which may be left out (OpenMP 5.2, section 5.8.8).
fn mapper_declaration(p: &mut Parser<'_>) {
    if p.nth(1) == COLON {
        word(p);
        p.bump();
    }
    let m = p.start();
    specifiers::specifiers(p);
    let declared = declarators::declarator(p, declarators::Form::Parameter);
    if declared.name.is_none() {
        p.error("the name of the object that is mapped is missing here");
    }
    m.complete(p, PARAM_DECL);
}

/// `name : types : combiner` of `declare reduction`.
fn reduction_declaration(p: &mut Parser<'_>) {
    let m = p.start();
    clauses::reduction_operator(p);
    p.expect(COLON);
    loop {
        specifiers::type_name(p);
        if !p.eat(COMMA) {
            break;
        }
    }
    p.expect(COLON);
    p.allows_sections = false;
    expressions::expression(p);
    p.allows_sections = true;
    m.complete(p, REDUCTION_DECL);
}
