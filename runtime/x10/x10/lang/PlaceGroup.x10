package x10.lang;

import x10.io.Deserializer;
import x10.io.Serializer;

/** An ordered set of places. */
public abstract class PlaceGroup implements Iterable[Place] {
    /** The group of all host places. */
    public static WORLD:PlaceGroup = new PlaceRange(0, Place.numPlaces());

    /** The group of the places 0 to numPlaces - 1. */
    public static def make(numPlaces:Long):PlaceGroup = new PlaceRange(0, numPlaces);

    /** How many places. */
    public abstract def numPlaces():Long;
    /** How many places. */
    public final property def size():Long = numPlaces();
    /** The place number i of the group. */
    public abstract operator this(i:Long):Place;
    /** Where the place with number id is in the group, or -1. */
    public abstract def indexOf(id:Long):Long;
    /** Where the place is in the group, or -1. */
    public def indexOf(place:Place):Long = indexOf(place.id);
    /** Whether the group has the place with number id. */
    public def contains(id:Long):Boolean = indexOf(id) >= 0;
    /** Whether the group has the place. */
    public def contains(place:Place):Boolean = indexOf(place.id) >= 0;
    /** The place after p, the first after the last. */
    public def next(p:Place):Place {
        val index = indexOf(p);
        return index < 0 ? Place.INVALID_PLACE : this((index + 1) % numPlaces());
    }
    /** The place before p, the last before the first. */
    public def prev(p:Place):Place {
        val index = indexOf(p);
        return index < 0 ? Place.INVALID_PLACE : this((index + numPlaces() - 1) % numPlaces());
    }
    /** Whether that has the same places in the same order. */
    public def equals(that:Any):Boolean {
        if (!(that instanceof PlaceGroup)) return false;
        val other = that as PlaceGroup;
        if (other.numPlaces() != numPlaces()) return false;
        for (i in 0..(numPlaces() - 1)) if (this(i) != other(i)) return false;
        return true;
    }
    /** A hash of the number of places. */
    public def hashCode():Int = numPlaces().hashCode();
    /** Goes over the places. */
    public def iterator():Iterator[Place] = new PlaceGroupIterator(this);
    /** Runs copies of cl at each place of the group and waits. What cl refers to is copied once. */
    public def broadcastFlat(cl:()=>void):void {
        val closure = new Serializer();
        closure.writeAny(cl);
        val bytes = closure.toRail();
        finish for (p in this) at (p) async (new Deserializer(bytes).readAny() as ()=>void)();
    }
    /** As broadcastFlat, but not at places that are dead; ignoreIfDead is not asked, since no place of a running program is. */
    public def broadcastFlat(cl:()=>void, ignoreIfDead:(Place)=>Boolean):void { broadcastFlat(cl); }
    /** The places of the group that are not dead. */
    public def filterDeadPlaces():PlaceGroup = this;
}

final class PlaceGroupIterator implements Iterator[Place] {
    private val group:PlaceGroup;
    private var position:Long = 0;

    def this(group:PlaceGroup) { this.group = group; }

    public def hasNext():Boolean = position < group.numPlaces();
    public def next():Place = group(position++);
}
