package x10.lang;

/** The places from first on. */
final class PlaceRange extends PlaceGroup {
    private val first:Long;
    private val count:Long;

    def this(first:Long, count:Long) { this.first = first; this.count = count; }

    public def numPlaces():Long = count;
    public operator this(i:Long):Place = Place(first + i);
    public def indexOf(id:Long):Long = id >= first && id < first + count ? id - first : -1;
}
