//! `x10-suite syntax`: the parser and the formatter on all of X10's files.

use std::path::Path;
use std::time::Instant;

use apg_tests::x10_suite::syntax::{self, Damage, Grammar, Recorded};
use clap::Args;

/// Parse, break, edit and format all of X10's files, and print rates
#[derive(Args)]
pub(crate) struct Syntax {
    /// How many tokens of each file are deleted and doubled, one at a time
    #[arg(long, default_value_t = 6, value_name = "N")]
    tokens: usize,

    /// The mistakes that gave most errors, and those that changed the tree far away
    #[arg(long)]
    verbose: bool,

    /// Write the figures to tests/x10-suite/syntax.json
    #[arg(long, conflicts_with = "tokens")]
    record: bool,
}

impl Syntax {
    pub(crate) fn run(self, home: &Path) -> bool {
        let (files, grammar) = (syntax::corpus(home), Grammar::read());
        let megabytes = files.iter().map(|it| it.1.len()).sum::<usize>() as f64 / 1e6;
        let start = Instant::now();
        let accepted = syntax::accepted(&files, &grammar);
        println!(
            "{} of {} files ({megabytes:.1} MB) have no error, X10's parser accepts {}; judged otherwise: {}; all lossless; {:.1} s",
            accepted.clean,
            accepted.files,
            grammar.accepted(),
            accepted.different.len(),
            start.elapsed().as_secs_f64()
        );
        for (name, error) in &accepted.different {
            println!("  {name}: {error}");
        }
        println!("{} prefixes of 200 files: all lossless", syntax::prefixes(&files));
        let damages = syntax::damage(&files, &grammar, self.tokens);
        for (what, damage) in ["deleted", "doubled"].iter().zip(&damages) {
            self.print_damage(what, damage);
        }
        let edits = syntax::edits(&files);
        println!(
            "{} random edits: parsed again as everything would be, {} of them as one block",
            edits.total, edits.local
        );
        let formatted = syntax::formatted(&files);
        println!(
            "{} files formatted: {} not idempotent, {} with other tokens",
            formatted.files,
            formatted.unstable.len(),
            formatted.changed.len()
        );
        for name in formatted.unstable.iter().chain(&formatted.changed) {
            println!("  {name}");
        }
        let now = Recorded::of(&accepted, &damages, &edits, &formatted);
        if self.record {
            now.write();
            return true;
        }
        let worse = now.worse_than(&Recorded::read());
        worse.iter().for_each(|line| println!("worse than recorded: {line}"));
        worse.is_empty()
    }

    fn print_damage(&self, what: &str, damage: &Damage) {
        println!(
            "one token {what}, {} broken files: errors p50 {} p90 {} p99 {} max {}; outside of the statement or member \
             unchanged in {} %",
            damage.broken.len(),
            damage.errors(50),
            damage.errors(90),
            damage.errors(99),
            damage.errors(100),
            damage.unchanged_percent()
        );
        if self.verbose {
            damage
                .broken
                .iter()
                .rev()
                .take(40)
                .for_each(|it| println!("  {} errors: {}", it.errors, it.place));
            let changed = damage.broken.iter().filter(|it| !it.unchanged_outside);
            changed.take(100).for_each(|it| println!("  changes the tree: {}", it.place));
        }
    }
}
