package x10.lang;

import x10.compiler.Intrinsic;

/** The tree of places: hosts, and below each its accelerators. It is the same seen from every place. */
public final class PlaceTopology {
    private static TOPOLOGY:PlaceTopology = new PlaceTopology();

    private def this() { }

    /** The topology. */
    public static def getTopology():PlaceTopology = TOPOLOGY;

    @Intrinsic("rt.place_child_count") private static native def childCountOf(id:Long):Long;
    @Intrinsic("rt.place_child") private static native def childOf(id:Long, index:Long):Long;
    @Intrinsic("rt.place_child_index") private static native def childIndexOf(id:Long):Long;

    /** How many host places. */
    public def numPrimaryPlaces():Long = Place.numPlaces();
    /** How many accelerators of all hosts. */
    public def numChildrenPlaces():Long = Place.numAllPlaces() - Place.numPlaces();
    /** Whether p is a host. */
    public def isPrimary(p:Place):Boolean = p.id < Place.numPlaces();
    /** Whether p is a CUDA device. */
    public def isCUDA(p:Place):Boolean = p.isCUDA();
    /** The host of p. */
    public def getParent(p:Place):Place = p.parent();
    /** How many accelerators p has. */
    public def numChildren(p:Place):Long = childCountOf(p.id);
    /** The accelerators of p. */
    public def children(p:Place):Iterable[Place] {
        val places = new Rail[Place](numChildren(p), (i:Long)=>getChild(p, i));
        return places;
    }
    /** Accelerator number c of p; raises an IllegalArgumentException if there is none. */
    public def getChild(p:Place, c:Long):Place {
        if (c < 0 || c >= numChildren(p)) throw new IllegalArgumentException(p + " has no accelerator number " + c);
        return Place(childOf(p.id, c));
    }
    /** Which accelerator of its host c is. */
    public def childIndex(c:Place):Long {
        if (isPrimary(c)) throw new BadPlaceException(c + " is a host, not an accelerator");
        return childIndexOf(c.id);
    }
}
