//! Megabytes a second on one core, of the lexer, of lexer and parser with the tree, of an edit in a body, and of the formatter; over
//! the class library, and over X10's own files where `APG_X10_HOME` names them.

use std::hint::black_box;
use std::path::Path;

use apg_syntax::{Edit, TextRange, TextSize, format_parsed, parse};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn collect(path: &Path, texts: &mut Vec<String>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        let mut paths: Vec<_> = entries.flatten().map(|it| it.path()).collect();
        paths.sort();
        paths.iter().for_each(|it| collect(it, texts));
    } else if path.extension().is_some_and(|it| it == "x10") {
        texts.extend(std::fs::read_to_string(path));
    }
}

fn corpora() -> Vec<(&'static str, Vec<String>)> {
    let mut library = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/x10"), &mut library);
    let mut corpora = vec![("library", library)];
    if let Some(home) = std::env::var_os("APG_X10_HOME") {
        let mut texts = Vec::new();
        collect(Path::new(&home), &mut texts);
        corpora.push(("x10", texts));
    }
    corpora
}

fn bench(c: &mut Criterion) {
    for (name, texts) in corpora() {
        let bytes: usize = texts.iter().map(String::len).sum();
        let mut group = c.benchmark_group(name);
        group.sample_size(10).throughput(Throughput::Bytes(bytes as u64));
        group.bench_function("lex", |b| {
            b.iter(|| texts.iter().map(|it| apg_syntax::count_tokens(it)).sum::<usize>())
        });
        group.bench_function("parse", |b| {
            b.iter(|| texts.iter().map(|it| black_box(parse(it)).errors().len()).sum::<usize>())
        });
        group.finish();
    }
    edit(c);
}

/// One character typed in a body of a file of 10,000 lines, and the file formatted.
fn edit(c: &mut Criterion) {
    let body = "        val x = a.b(c) + 1;\n".repeat(8);
    let text = format!("class A {{\n{}}}\n", format!("    def f(x:Int) {{\n{body}    }}\n").repeat(1000));
    let old = parse(&text);
    let at = TextSize::new(text[..text.len() / 2].rfind("+ 1").unwrap() as u32);
    let edit = Edit::new(TextRange::empty(at), "y");
    let mut group = c.benchmark_group("10,000 lines");
    group.sample_size(10);
    group.bench_function("parse", |b| b.iter(|| black_box(parse(&text))));
    group.bench_function("reparse", |b| b.iter(|| black_box(old.reparse(&edit))));
    group.bench_function("format", |b| b.iter(|| format_parsed(&old, None).map(|it| it.len())));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
