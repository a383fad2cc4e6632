use apg_analysis::*;
use std::path::*;
use std::sync::Arc;
fn add(root: &Path, f: &Path, v: &mut Vec<(PathBuf, Arc<str>)>) {
    let mut es: Vec<_> = std::fs::read_dir(f).unwrap().flatten().map(|e| e.path()).collect();
    es.sort();
    for p in es {
        if p.is_dir() {
            add(root, &p, v)
        } else if p.extension().is_some_and(|e| e == "x10") {
            if let Ok(t) = std::fs::read(&p) {
                v.push((
                    p.strip_prefix(root).unwrap().to_owned(),
                    String::from_utf8_lossy(&t).into_owned().into(),
                ))
            }
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut lib = vec![];
    add(Path::new(&a[1]), Path::new(&a[1]), &mut lib);
    let mut host = AnalysisHost::new(lib);
    let mut files = vec![];
    for d in &a[2..] {
        let d = Path::new(d);
        if d.is_dir() {
            let mut v = vec![];
            add(d, d, &mut v);
            files.extend(v.into_iter().map(|(p, t)| (d.join(p), t)));
        } else {
            files.push((
                d.to_owned(),
                String::from_utf8_lossy(&std::fs::read(d).unwrap()).into_owned().into(),
            ));
        }
    }
    host.set_files(files.clone());
    let libonly = a.len() == 2;
    let start = std::time::Instant::now();
    let show = |host: &AnalysisHost, f, p: &Path, t: &str| {
        host.snapshot()
            .with(|db| {
                for d in check::file_diagnostics(db, f) {
                    let b = &t[..usize::from(d.range.start()).min(t.len())];
                    println!(
                        "{}:{}: [{}] {} | {}",
                        p.display(),
                        b.matches('\n').count() + 1,
                        d.code,
                        d.message,
                        d.notes.join(" / ")
                    );
                }
            })
            .unwrap();
    };
    if libonly {
        let mut v = vec![];
        add(Path::new(&a[1]), Path::new(&a[1]), &mut v);
        for (p, t) in v {
            let f = host.snapshot().file(&p).unwrap();
            show(&host, f, &p, &t);
        }
    }
    for (p, t) in &files {
        host.set_roots(&[p.clone()]);
        let f = host.snapshot().file(p).unwrap();
        show(&host, f, p, t);
    }
    eprintln!("{:?}", start.elapsed());
}
