package x10.regionarray;

/** The points of a distribution that are in a region, where they are there. */
final class RegionRestriction extends Dist {
    private val base:Dist;
    private val filter:Region;

    def this(base:Dist, filter:Region) {
        super(base.region.intersection(filter as Region(base.region.rank)));
        this.base = base; this.filter = filter;
    }
    public def places():PlaceGroup = base.places();
    public def numPlaces():Long = base.numPlaces();
    public def regions():Iterable[Region(rank)] {
        val pg = places();
        return new Rail[Region(rank)](pg.numPlaces(), (i:Long)=>get(pg(i)));
    }
    public def get(p:Place):Region(rank) {
        val all = base.get(p);
        return all.intersection(filter as Region(all.rank)) as Region(rank);
    }
    public operator this(pt:Point(rank)):Place {
        if (!region.contains(pt)) raiseBoundsError(pt);
        return base(pt as Point(base.rank));
    }
    public def restriction(r:Region(rank)):Dist(rank) = new RegionRestriction(this, r) as Dist(rank);
    public def restriction(p:Place):Dist(rank) = new PlaceRestriction(this, p) as Dist(rank);
}
