package x10.util;

/**
 * The slots of one place in a SlotGroup: some for activities, if it is a host, and some for blocks of kernels at it.
 */
public struct SlotsAt(place:Place, activities:Long, blocks:Long) {
    /** That many slots at a place. */
    public def this(place:Place, activities:Long, blocks:Long) { property(place, activities, blocks); }
}
