package x10.regionarray;

/** The points of a distribution that are at one place. */
final class PlaceRestriction extends Dist {
    private val filter:Place;

    def this(base:Dist, filter:Place) {
        super(base.get(filter));
        this.filter = filter;
    }
    public def places():PlaceGroup = new SparsePlaceGroup(filter);
    public def numPlaces():Long = 1;
    public def regions():Iterable[Region(rank)] = [region as Region(rank)];
    public def get(p:Place):Region(rank) = (p == filter ? region : Region.makeEmpty(rank)) as Region(rank);
    public operator this(pt:Point(rank)):Place {
        if (!region.contains(pt)) raiseBoundsError(pt);
        return filter;
    }
    public def restriction(r:Region(rank)):Dist(rank) = new RegionRestriction(this, r) as Dist(rank);
    public def restriction(p:Place):Dist(rank) = new PlaceRestriction(this, p) as Dist(rank);
}
