package x10.regionarray;

/** Indices of a space that begins again where it ends. */
public final class PeriodicBoundaryConditions {
    /** The index from min to max that is some multiple of wrap from that one. */
    public static def getPeriodicIndex(index:Long, min:Long, max:Long, wrap:Long):Long {
        if (wrap <= 0) throw new IllegalArgumentException("a period of " + wrap);
        var wrapped:Long = index;
        if (wrapped < min) wrapped += (min - wrapped + wrap - 1) / wrap * wrap;
        if (wrapped > max) wrapped -= (wrapped - max + wrap - 1) / wrap * wrap;
        return wrapped;
    }
    /** The point in localRegion that is some periods of fullRegion from pt. */
    public static def wrapPeriodic(pt:Point, localRegion:Region(pt.rank), fullRegion:Region(pt.rank)):Point{self.rank==pt.rank} =
        Point.make(pt.rank, (i:Long)=>
            getPeriodicIndex(pt(i), localRegion.min(i), localRegion.max(i), fullRegion.max(i) - fullRegion.min(i) + 1));
    /** The point in region that is some of its periods from pt. */
    public static def wrapPeriodic(pt:Point, region:Region(pt.rank)):Point{self.rank==pt.rank} =
        Point.make(pt.rank, (i:Long)=>
            getPeriodicIndex(pt(i), region.min(i), region.max(i), region.max(i) - region.min(i) + 1));
}
