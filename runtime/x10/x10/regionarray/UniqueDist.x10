package x10.regionarray;

/** Point i of rank 1 at place i of a group. */
final class UniqueDist extends Dist {
    private val pg:PlaceGroup;

    def this(pg:PlaceGroup) {
        super(Region.make(0, pg.numPlaces() - 1));
        this.pg = pg;
    }
    public def places():PlaceGroup = pg;
    public def numPlaces():Long = pg.numPlaces();
    public def regions():Iterable[Region(rank)] =
        new Rail[Region(rank)](pg.numPlaces(), (i:Long)=>Region.make(i, i) as Region(rank));
    public def get(p:Place):Region(rank) {
        val index = pg.indexOf(p);
        return (index < 0 ? Region.makeEmpty(1) : Region.make(index, index)) as Region(rank);
    }
    public operator this(pt:Point(rank)):Place = placeOf(pt(0));
    public operator this(i0:Long){rank==1}:Place = placeOf(i0);
    private def placeOf(i:Long):Place {
        if (i < 0 || i >= pg.numPlaces()) raiseBoundsError(i);
        return pg(i);
    }
    public def restriction(r:Region(rank)):Dist(rank) = new RegionRestriction(this, r) as Dist(rank);
    public def restriction(p:Place):Dist(rank) = new PlaceRestriction(this, p) as Dist(rank);
}
