//! Stubs: declarations that override inherited methods.

use crate::db::Db;
use crate::ide::signature::describe;
use crate::ids::MethodId;
use crate::item_tree::items::{class_kind, method_item};
use crate::item_tree::{MethodKind, Modifiers};
use crate::ty::Ty;

/// A declaration without a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stub {
    /// `public `, or nothing.
    pub(super) access: &'static str,
    /// `def `, or nothing.
    pub(super) keyword: &'static str,
    /// `name(formals):Result`, `operator this + (formal):Result`
    pub(super) head: String,
}

impl Stub {
    /// With modifiers and `def`.
    pub(super) fn declaration(&self) -> String {
        format!("{}{}{}", self.access, self.keyword, self.head)
    }
}

/// The stub that overrides `method` of `owner`; `None` for constructors and static methods.
pub(super) fn stub(db: &dyn Db, method: MethodId, owner: Ty) -> Option<Stub> {
    let item = method_item(db, method)?;
    let described = describe(db, method, Some(owner));
    let of_interface = class_kind(db, method.class(db)) == Some(crate::item_tree::ClassKind::Interface);
    let access = match () {
        () if of_interface || item.modifiers.has(Modifiers::PUBLIC) => "public ",
        () if item.modifiers.has(Modifiers::PROTECTED) => "protected ",
        () => "",
    };
    let sign = || method.name(db).strip_prefix("operator");
    let types = described.types();
    let formals = described.formals();
    let result = &described.result_text;
    let (keyword, head) = match item.kind {
        MethodKind::Method => ("def ", format!("{}{}", method.name(db), described.tail())),
        MethodKind::Property => ("property ", format!("{}{}", method.name(db), described.tail())),
        MethodKind::Binary => {
            ("", format!("operator{types} this {} ({}){result}", sign()?, formals.first()?))
        }
        MethodKind::BinaryRight => {
            ("", format!("operator{types} ({}) {} this{result}", formals.first()?, sign()?))
        }
        MethodKind::Unary => ("", format!("operator{types} {} this{result}", sign()?)),
        MethodKind::Apply => ("", format!("operator{types} this({}){result}", formals.join(", "))),
        MethodKind::Set => {
            let (value, places) = formals.split_last()?;
            ("", format!("operator{types} this({}) = ({value}){result}", places.join(", ")))
        }
        _ => return None,
    };
    Some(Stub { access, keyword, head })
}
