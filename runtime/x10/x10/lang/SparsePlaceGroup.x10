package x10.lang;

/** A group of any places, in the given order. */
public final class SparsePlaceGroup extends PlaceGroup {
    private val places:Rail[Place];

    /** Those places. */
    public def this(ps:Rail[Place]) { places = new Rail[Place](ps); }
    /** The places of that group. */
    public def this(group:PlaceGroup) {
        val count = group.numPlaces();
        places = new Rail[Place](count, (role:Long)=>group(role));
    }
    /** One place. */
    public def this(p:Place) { places = [p]; }

    /** The place number i of the group. */
    public operator this(i:Long):Place = places(i);
    /** Goes over the places. */
    public def iterator():Iterator[Place] = places.iterator();
    /** How many places. */
    public def numPlaces():Long = places.size;
    /** Whether the group has the place with number id. */
    public def contains(id:Long):Boolean = indexOf(id) >= 0;
    /** Where the place with number id is in the group, or -1. */
    public def indexOf(id:Long):Long {
        for (i in 0..(places.size - 1)) if (places(i).id == id) return i;
        return -1;
    }
}
