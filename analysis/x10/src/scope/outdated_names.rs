//! Names of X10 2.0 to 2.4 that papers and slides still use, with their replacements in X10 2.6.

/// Advice for a former type name.
pub(crate) fn type_advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "Vec" => {
            "X10 2.6 has no `Vec`: a kernel's thread has a small array of its own by `@StackAllocate val v = new Rail[T](4);`, else it is a \
             `Rail[T]`"
        }
        "RemoteRail" | "CUDARail" => {
            "X10 2.6 calls it `GlobalRail[T]`, which `CUDAUtilities.makeGlobalRail[T](place, size)` makes"
        }
        "RemoteRef" => "X10 2.6 calls it `GlobalRef[T]`: `GlobalRef(object)`",
        "RemoteIndexedMemoryChunk" | "IndexedMemoryChunk" => {
            "X10 2.6 has `Rail[T]` for it, and `GlobalRail[T]` for one of another place"
        }
        _ => return None,
    })
}

/// Advice for a type that must be imported and replaces a former one.
pub(crate) fn import_advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "Array" => {
            "the `Array[T](1)` of X10 2.0 to 2.2, and what kernels use, is a `Rail[T]` now: `new Rail[T](n)`"
        }
        "RemoteArray" => {
            "what kernels use of another place is a `GlobalRail[T]` now: `CUDAUtilities.makeGlobalRail[T](place, size)`"
        }
        _ => return None,
    })
}

/// Advice for a former static member of a class.
pub(crate) fn static_advice(class: &str, name: &str) -> Option<&'static str> {
    Some(match (class, name) {
        ("Dist", "makeCyclic" | "makeBlockCyclic" | "cyclic") => {
            "X10 2.6 has `Dist.makeBlock(region, axis)`, `makeBlockBlock` and `makeUnique`; dealt out one by one, element `i` is at \
             `Place(i % Place.numPlaces())`"
        }
        ("Rail", "make" | "makeVar" | "makeVal" | "makeRemote") => {
            "a rail is made by `new Rail[T](n)`, `new Rail[T](n, value)` or `new Rail[T](n, (i:Long) => ...)`"
        }
        ("Array", "make") => {
            "an array is made by `new Array_2[T](m, n)` and its like, a rail by `new Rail[T](n)`"
        }
        ("Array_1" | "Array_2" | "Array_3" | "Array", "asyncCopy") => {
            "the elements are a rail: `finish Rail.asyncCopy(a.raw(), 0, to, 0, n)`"
        }
        ("Place", "NUM_ACCELS") => "X10 2.6 writes `Place.numAllPlaces() - Place.numPlaces()`",
        ("Place", "CHILDREN_PER_PLACE" | "isCUDA" | "isHost" | "children" | "numChildren" | "child") => {
            "X10 2.6 asks the topology: `PlaceTopology.getTopology().numChildren(here)`, `.getChild(here, 0)`; and places: `p.isCUDA()`"
        }
        _ => return None,
    })
}

/// Advice for a former member of an object.
pub(crate) fn member_advice(class: &str, name: &str) -> Option<&'static str> {
    Some(match (class, name) {
        ("Place", "isHost") => "a place is a host if it is no accelerator: `!p.isCUDA()`",
        ("Place", "isSPE" | "isCell") => "the accelerators of X10 2.6 are GPUs: `p.isCUDA()`",
        ("Place", "childIndex") => "X10 2.6 asks the topology: `PlaceTopology.getTopology().childIndex(p)`",
        ("Rail" | "GlobalRail" | "Array", "asyncCopyTo" | "asyncCopyFrom") => {
            "`finish Rail.asyncCopy(from, 0, to, 0, n)` copies between places"
        }
        ("GlobalRail" | "GlobalRef" | "Rail", "place" | "location" | "loc") => {
            "the place where it lives is `r.home()`, for a `GlobalRef` `r.home`"
        }
        _ => return None,
    })
}
