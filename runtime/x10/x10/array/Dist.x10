package x10.array;

/** Which place of a group has which points of a space. */
public abstract class Dist(
    /** The places. */
    pg:PlaceGroup{self!=null},
    /** The points. */
    is:IterationSpace{self!=null}) {
    /** The number of axes. */
    public property rank():Long = is.rank;

    def this(pg:PlaceGroup{self!=null}, is:IterationSpace{self!=null}):Dist{self.pg==pg,self.is==is} { property(pg, is); }

    /** The points of this place. */
    public abstract def localIndices():IterationSpace{self.rank==this.rank(),self!=null};
    /** Where p is; no place if it is no point of the space. */
    public abstract def place(p:Point(this.rank())):Place;
    /** Whether p is a point of the space. */
    final def contains(p:Point(this.rank())):Boolean {
        for (i in 0..(rank() - 1)) if (p(i) < is.min(i) || p(i) > is.max(i)) return false;
        return true;
    }
    /** The place of a part, or no place. */
    final def placeOf(part:Long):Place = part < 0 ? Place.INVALID_PLACE : pg(part);
    /** The space and the places. */
    public def toString():String = typeName() + "(" + is + " over " + pg.numPlaces() + " places)";
}

/** A distribution with that number of axes. */
public type Dist(rank:Long) = Dist{self.rank()==rank};
