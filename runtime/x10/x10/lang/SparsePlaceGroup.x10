package x10.lang;

/** Any places, in a given order. */
public final class SparsePlaceGroup extends PlaceGroup {
    private val places:Rail[Place];

    /** These places, none of them twice; raises an IllegalArgumentException otherwise. */
    public def this(ps:Rail[Place]) {
        places = new Rail[Place](ps);
        val seen = new x10.util.HashSet[Long]();
        for (p in ps) if (!seen.add(p.id)) throw new IllegalArgumentException(p + " is twice in a PlaceGroup");
    }
    /** The places of another group. */
    public def this(pg:PlaceGroup) { places = new Rail[Place](pg.numPlaces(), (i:Long)=>pg(i)); }
    /** One place. */
    public def this(p:Place) { places = new Rail[Place](1, p); }

    public operator this(i:Long):Place = places(i);
    public def iterator():Iterator[Place] = places.iterator();
    public def numPlaces():Long = places.size;
    public def contains(id:Long):Boolean = indexOf(id) >= 0;
    public def indexOf(id:Long):Long {
        for (i in places.range) if (places(i).id == id) return i;
        return -1;
    }
}
