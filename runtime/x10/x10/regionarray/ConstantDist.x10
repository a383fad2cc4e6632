package x10.regionarray;

/** All points at one place. */
final class ConstantDist(onePlace:Place) extends Dist {
    def this(r:Region, p:Place):ConstantDist{self.region==r} {
        super(r);
        property(p);
    }
    public def places():PlaceGroup = new SparsePlaceGroup(onePlace);
    public def numPlaces():Long = 1;
    public def regions():Iterable[Region(rank)] = [region as Region(rank)];
    public def get(p:Place):Region(rank) = p == onePlace ? region : Region.makeEmpty(rank);
    public def containsLocally(p:Point):Boolean = onePlace == here && region.contains(p);
    public operator this(pt:Point(rank)):Place {
        if (!region.contains(pt)) raiseBoundsError(pt);
        return onePlace;
    }
    public operator this(i0:Long){rank==1}:Place {
        if (!region.contains(i0)) raiseBoundsError(i0);
        return onePlace;
    }
    public operator this(i0:Long, i1:Long){rank==2}:Place {
        if (!region.contains(i0, i1)) raiseBoundsError(i0, i1);
        return onePlace;
    }
    public operator this(i0:Long, i1:Long, i2:Long){rank==3}:Place {
        if (!region.contains(i0, i1, i2)) raiseBoundsError(i0, i1, i2);
        return onePlace;
    }
    public operator this(i0:Long, i1:Long, i2:Long, i3:Long){rank==4}:Place {
        if (!region.contains(i0, i1, i2, i3)) raiseBoundsError(i0, i1, i2, i3);
        return onePlace;
    }
    public def restriction(r:Region(rank)):Dist(rank) = new ConstantDist(region.intersection(r as Region(region.rank)), onePlace) as Dist(rank);
    public def restriction(p:Place):Dist(rank) = new ConstantDist(get(p), p) as Dist(rank);
    public def equals(thatObj:Any):Boolean {
        if (!(thatObj instanceof ConstantDist)) return super.equals(thatObj);
        val that = thatObj as ConstantDist;
        return onePlace == that.onePlace && region.equals(that.region);
    }
}
