package x10.util.resilient;

import x10.io.Unserializable;
import x10.util.ArrayList;

/**
 * Which places a program computes at, and which it keeps in reserve. A program of this runtime ends when a place dies, so that the
 * division never changes.
 */
public class PlaceManager implements Unserializable {
    /** What became of the active places. */
    public static struct ChangeDescription {
        /** The active places before. */
        public val oldActivePlaces:PlaceGroup;
        /** The active places now. */
        public val newActivePlaces:PlaceGroup;
        /** Those that died. */
        public val removedPlaces:ArrayList[Place];
        /** Those that take their part. */
        public val addedPlaces:ArrayList[Place];

        def this(before:PlaceGroup, now:PlaceGroup, removed:ArrayList[Place], added:ArrayList[Place]) {
            oldActivePlaces = before;
            newActivePlaces = now;
            removedPlaces = removed;
            addedPlaces = added;
        }

        /** Whether there is another group of active places. */
        public def somethingChanged():Boolean = oldActivePlaces != newActivePlaces;
    }

    private val active:PlaceGroup;

    /** All places are active. */
    public def this() { this(0, false); }
    /** All places but the last numSpares are active. */
    public def this(numSpares:Long, allowShrinking:Boolean) {
        if (numSpares >= Place.numPlaces())
            throw new IllegalArgumentException(numSpares + " spare places leave none of " + Place.numPlaces() + " to compute at");
        active = PlaceGroup.make(Place.numPlaces() - numSpares);
    }

    /** The places to compute at. */
    public def activePlaces():PlaceGroup = active;
    /** Puts spare places in the place of dead ones: there are none. */
    public def rebuildActivePlaces():ChangeDescription =
        ChangeDescription(active, active, new ArrayList[Place](), new ArrayList[Place]());
}
