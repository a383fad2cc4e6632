//! Postconditions of constructors: the class invariant, the constraint of the superclass, and that of the
//! result type.

use apg_syntax::TextRange;

use crate::body::Owner;
use crate::constraint::Entailment;
use crate::infer::context::Infer;
use crate::item_tree::items::field_item;
use crate::relate::entailment::Question;
use crate::rules::constraint::not_established::NotEstablished;
use crate::signature::method_signature;
use crate::signature::property::class_facts;
use crate::ty::subst::facts_about;
use crate::ty::{ConstraintTerm, Path, PathRoot, Ty};

impl Infer<'_> {
    /// Assumes the postconditions of the called constructor of the superclass or of this class.
    pub(crate) fn assume_postconditions(&mut self, made: Ty) {
        let facts = made.constraint(self.db).map_or_else(Vec::new, |it| facts_about(it, &Path::this()));
        facts.into_iter().for_each(|fact| self.learn(fact));
    }

    fn starts_with_property(&self, path: &Path) -> bool {
        let this = Ty::this_type(self.db, self.class);
        let field = path.fields.first().and_then(|name| self.find_field(this, name));
        field.is_none_or(|(field, _)| field_item(self.db, field).is_some_and(|item| item.is_property))
    }

    /// Checks the postconditions once all properties are set, at `range`.
    pub(crate) fn check_postconditions(&mut self, range: TextRange) {
        let Owner::Method(method) = self.owner else { return };
        let db = self.db;
        let mut context = self.context();
        context.is_making = true;
        let result = method_signature(db, method).result.map(|ty| self.seen_inside(ty));
        let promised = result
            .and_then(|ty| ty.constraint(db))
            .map_or_else(Vec::new, |it| facts_about(it, &Path::this()));
        let of_class = class_facts(db, self.class).iter().map(|term| (term.clone(), false));
        let of_result = promised.into_iter().map(|term| (term, true));
        for (term, is_result) in of_class.chain(of_result).collect::<Vec<_>>() {
            let term = self.term_here(&term);
            // Terms that cannot be decided are skipped; where they are forbidden, that was reported.
            if matches!(term, ConstraintTerm::Opaque(_)) {
                continue;
            }
            // A field that is no property is set later.
            let later = |path: &Path| path.root == PathRoot::This && !self.starts_with_property(path);
            let meaning = context.meaning(&term, None);
            if meaning.iter().flat_map(ConstraintTerm::paths).any(later) {
                continue;
            }
            if context.decide(Question::default(), std::slice::from_ref(&term)) == Entailment::Proved {
                continue;
            }
            let known = self.known_conditions_in(&context, std::slice::from_ref(&term));
            self.report_at(range, NotEstablished { term, is_result, known });
            return;
        }
    }
}
