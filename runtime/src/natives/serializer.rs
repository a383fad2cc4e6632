//! Object graphs as bytes that the program holds: `x10.io.Serializer` and `Deserializer`.

use super::{non_null, raise};
use crate::abi::{ExceptionKind, Outcome, Raised};
use crate::apgas::marshal;
use crate::heap::Ref;
use crate::serialize::read::Input;

/// An object with all that it refers to as bytes, in a rail of the type of `sample`.
pub(crate) fn graph_encode(object: Ref, sample: Ref) -> Outcome<Ref> {
    let bytes = marshal::encode_for_many(object).map_err(Raised)?;
    let rail = super::objects::allocate_rail(non_null(sample)?.ty(), bytes.len() as i64)?;
    // SAFETY: a new rail of that many bytes.
    unsafe { rail.elements().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(rail)
}

/// The object that [`graph_encode`] made bytes of.
pub(crate) fn graph_decode(bytes: Ref) -> Outcome<Ref> {
    let rail = non_null(bytes)?;
    // SAFETY: the rail's own bytes; a copy, since constructors of the program may run and change the rail.
    let bytes = unsafe { std::slice::from_raw_parts(rail.elements(), rail.length()) }.to_vec();
    let mut input = Input::new(&bytes);
    let object = marshal::decode(&mut input).map_err(Raised)?;
    if input.remaining() > 0 {
        return raise(ExceptionKind::Io, "these bytes are not what a Serializer made");
    }
    Ok(object)
}
