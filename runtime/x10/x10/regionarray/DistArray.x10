package x10.regionarray;

import x10.array.Rows;
import x10.compiler.TransientInitExpr;
import x10.compiler.Uncounted;

/**
 * An array of an element for each point of a distribution's region, at the place that the distribution says. Elements are read and
 * written where they are. An array made with a ghost width has copies of the elements around each place's own, which `updateGhosts`
 * brings up to date.
 */
public final class DistArray[T](dist:Dist) implements (Point(dist.region.rank))=>T, Iterable[Point(dist.region.rank)], Ghostable {
    /** The region of the distribution. */
    public property region():Region(rank) = dist.region;
    /** The number of axes. */
    public property rank():Long = dist.rank;

    private val handle:PlaceLocalHandle[LocalState[T]];
    /** What this place has; null where there is no part. */
    @TransientInitExpr(handle()) private transient val local:LocalState[T];
    /** Its elements, or those of an array of no points: what loops ask has no other case to tell apart. */
    @TransientInitExpr(portionOf(handle())) private transient val elements:Array[T]{self!=null};

    /** What one place has: its elements, and who keeps its ghosts. */
    protected static class LocalState[T] {
        val portion:Array[T];
        val ghosts:GhostManager;

        def this(portion:Array[T], ghosts:GhostManager) { this.portion = portion; this.ghosts = ghosts; }
    }

    private static def portionOf[T](state:LocalState[T]):Array[T]{self!=null} =
        (state == null ? new Array[T](Region.make(0, -1), Unsafe.uninitialised[T](0)) : state.portion) as Array[T]{self!=null};
    /** How it is distributed. */
    public def getDist():Dist = dist;
    private def portion():Array[T] {
        if (local == null) throw new BadPlaceException("no part of the array is at " + here);
        return local.portion;
    }
    /** The rail of this place's elements, ghosts included. */
    public final def raw():Rail[T]{self!=null} = portion().raw();
    /** The points of this place, ghosts included. */
    public final def localRegion():Region(rank) = portion().region as Region(rank);
    /** The elements of this place, ghosts included; they stay shared. */
    public def getLocalPortion():Array[T](dist.rank) {
        val portion = portion();
        if (!portion.region.rect)
            throw new UnsupportedOperationException("the points at " + here + " fill no box: " + portion.region);
        return portion as Array[T](dist.rank);
    }

    /** Zeros. */
    public static def make[T](dist:Dist){T haszero}:DistArray[T]{self.dist==dist} = new DistArray[T](dist, 0, false);
    /** Zeros, with ghosts. */
    public static def make[T](dist:Dist, ghostWidth:Long, periodic:Boolean){T haszero}:DistArray[T]{self.dist==dist} =
        new DistArray[T](dist, ghostWidth, periodic);
    /** At each point init of the point, computed where it is. */
    public static def make[T](dist:Dist, init:(Point(dist.rank))=>T):DistArray[T]{self.dist==dist} = new DistArray[T](dist, init, 0, false);
    /** At each point init of the point, computed where it is; with ghosts. */
    public static def make[T](dist:Dist, init:(Point(dist.rank))=>T, ghostWidth:Long, periodic:Boolean):DistArray[T]{self.dist==dist} =
        new DistArray[T](dist, init, ghostWidth, periodic);
    /** init at each point. */
    public static def make[T](dist:Dist, init:T):DistArray[T]{self.dist==dist} = new DistArray[T](dist, init, 0, false);
    /** init at each point, with ghosts. */
    public static def make[T](dist:Dist, init:T, ghostWidth:Long, periodic:Boolean):DistArray[T]{self.dist==dist} =
        new DistArray[T](dist, init, ghostWidth, periodic);

    def this(dist:Dist, ghostWidth:Long, periodic:Boolean){T haszero}:DistArray[T]{self.dist==dist} {
        property(dist);
        handle = PlaceLocalHandle.make[LocalState[T]](dist.places(), ()=>{
            val ghosts = manager(dist, ghostWidth, periodic);
            new LocalState[T](new Array[T](covered(dist, ghosts)), ghosts)
        });
        local = handle();
        elements = portionOf(handle());
    }
    def this(dist:Dist, init:(Point(dist.rank))=>T, ghostWidth:Long, periodic:Boolean):DistArray[T]{self.dist==dist} {
        property(dist);
        handle = PlaceLocalHandle.make[LocalState[T]](dist.places(), ()=>{
            val ghosts = manager(dist, ghostWidth, periodic);
            new LocalState[T](initialised[T](dist, init, ghosts), ghosts)
        });
        local = handle();
        elements = portionOf(handle());
    }
    def this(dist:Dist, init:T, ghostWidth:Long, periodic:Boolean):DistArray[T]{self.dist==dist} {
        property(dist);
        handle = PlaceLocalHandle.make[LocalState[T]](dist.places(), ()=>{
            val ghosts = manager(dist, ghostWidth, periodic);
            new LocalState[T](new Array[T](covered(dist, ghosts), init), ghosts)
        });
        local = handle();
        elements = portionOf(handle());
    }
    private def this(dist:Dist, handle:PlaceLocalHandle[LocalState[T]]):DistArray[T]{self.dist==dist} {
        property(dist);
        this.handle = handle;
        local = handle();
        elements = portionOf(handle());
    }
    private static def manager(dist:Dist, ghostWidth:Long, periodic:Boolean):GhostManager =
        ghostWidth > 0 ? dist.getLocalGhostManager(ghostWidth, periodic) : null;
    /** The points of this place, ghosts included. */
    private static def covered(dist:Dist, ghosts:GhostManager):Region = ghosts == null ? dist.get(here) : ghosts.getGhostRegion(here);
    private static def initialised[T](dist:Dist, init:(Point)=>T, ghosts:GhostManager):Array[T] {
        if (ghosts == null) return new Array[T](dist.get(here), init);
        val region = covered(dist, ghosts);
        val own = dist.get(here);
        val elements = Unsafe.allocRailZeroed[T](region.isEmpty() ? 0 : region.size());
        for (p in own) elements(region.indexOf(p)) = init(p);
        return new Array[T](region, elements);
    }

    /** The element at (i0), which is here. */
    public final operator this(i0:Long){rank==1}:T {
        val index = elements.find(i0);
        if (index < 0) misplaced(1, i0, 0, 0, 0, null);
        return Unsafe.get(elements.raw(), index);
    }
    /** The element at (i0, i1), which is here. */
    public final operator this(i0:Long, i1:Long){rank==2}:T {
        val index = elements.find(i0, i1);
        if (index < 0) misplaced(2, i0, i1, 0, 0, null);
        return Unsafe.get(elements.raw(), index);
    }
    /** The element at (i0, i1, i2), which is here. */
    public final operator this(i0:Long, i1:Long, i2:Long){rank==3}:T {
        val index = elements.find(i0, i1, i2);
        if (index < 0) misplaced(3, i0, i1, i2, 0, null);
        return Unsafe.get(elements.raw(), index);
    }
    /** The element at (i0, i1, i2, i3), which is here. */
    public final operator this(i0:Long, i1:Long, i2:Long, i3:Long){rank==4}:T {
        val index = elements.find(i0, i1, i2, i3);
        if (index < 0) misplaced(4, i0, i1, i2, i3, null);
        return Unsafe.get(elements.raw(), index);
    }
    /** The element at pt, which is here. */
    public final operator this(pt:Point(rank)):T {
        val index = elements.find(pt);
        if (index < 0) misplaced(pt.rank, Unsafe.first(pt), Unsafe.second(pt), Unsafe.third(pt), Unsafe.fourth(pt), Unsafe.more(pt));
        return Unsafe.get(elements.raw(), index);
    }
    /** Sets the element at (i0), which is here; the value is v. */
    public final operator this(i0:Long)=(v:T){rank==1}:T{self==v} {
        val index = elements.find(i0);
        if (index < 0) misplaced(1, i0, 0, 0, 0, null);
        Unsafe.set(elements.raw(), index, v);
        return v;
    }
    /** Sets the element at (i0, i1), which is here; the value is v. */
    public final operator this(i0:Long, i1:Long)=(v:T){rank==2}:T{self==v} {
        val index = elements.find(i0, i1);
        if (index < 0) misplaced(2, i0, i1, 0, 0, null);
        Unsafe.set(elements.raw(), index, v);
        return v;
    }
    /** Sets the element at (i0, i1, i2), which is here; the value is v. */
    public final operator this(i0:Long, i1:Long, i2:Long)=(v:T){rank==3}:T{self==v} {
        val index = elements.find(i0, i1, i2);
        if (index < 0) misplaced(3, i0, i1, i2, 0, null);
        Unsafe.set(elements.raw(), index, v);
        return v;
    }
    /** Sets the element at (i0, i1, i2, i3), which is here; the value is v. */
    public final operator this(i0:Long, i1:Long, i2:Long, i3:Long)=(v:T){rank==4}:T{self==v} {
        val index = elements.find(i0, i1, i2, i3);
        if (index < 0) misplaced(4, i0, i1, i2, i3, null);
        Unsafe.set(elements.raw(), index, v);
        return v;
    }
    /** Sets the element at pt, which is here; the value is v. */
    public final operator this(pt:Point(rank))=(v:T):T{self==v} {
        val index = elements.find(pt);
        if (index < 0) misplaced(pt.rank, Unsafe.first(pt), Unsafe.second(pt), Unsafe.third(pt), Unsafe.fourth(pt), Unsafe.more(pt));
        Unsafe.set(elements.raw(), index, v);
        return v;
    }
    // What loops use; see the compiler's lowering of loops.
    /** Whether all indices between are valid, and here. */
    def covers(i0:Long, i1:Long):Boolean = elements.covers(i0, i1);
    /** The element at a valid index. */
    def uncheckedGet(i:Long):T = elements.uncheckedGet(i);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, v:T):T = elements.uncheckedSet(i, v);
    /** Whether all indices between are valid, and here. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long):Boolean = elements.covers(i0, i1, j0, j1);
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long):T = elements.uncheckedGet(i, j);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, v:T):T = elements.uncheckedSet(i, j, v);
    /** Whether all indices between are valid, and here. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long, k0:Long, k1:Long):Boolean = elements.covers(i0, i1, j0, j1, k0, k1);
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long, k:Long):T = elements.uncheckedGet(i, j, k);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, k:Long, v:T):T = elements.uncheckedSet(i, j, k, v);
    /** Whether all indices between are valid, and here. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long, k0:Long, k1:Long, l0:Long, l1:Long):Boolean = elements.covers(i0, i1, j0, j1, k0, k1, l0, l1);
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long, k:Long, l:Long):T = elements.uncheckedGet(i, j, k, l);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, k:Long, l:Long, v:T):T = elements.uncheckedSet(i, j, k, l, v);

    /** Raises the exception for a point that is not here, of which these are the parts. */
    private def misplaced(axes:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):void {
        val pt = Unsafe.point(axes, c0, c1, c2, c3, more);
        if (!region.contains(pt)) throw new ArrayIndexOutOfBoundsException("the distribution has no point " + pt);
        throw new BadPlaceException("the element at " + pt + " is not at " + here);
    }
    /** Where pt is in this place's elements, some periods of the region away if need be. */
    private def periodic(pt:Point):Long {
        val portion = portion();
        val direct = portion.find(pt);
        if (direct >= 0) return direct;
        val mine = portion.region;
        val index = mine.isEmpty() ? -1
            : portion.find(PeriodicBoundaryConditions.wrapPeriodic(pt, mine as Region(pt.rank), region as Region(pt.rank)));
        if (index < 0) throw new BadPlaceException("the element at " + pt + " is not at " + here);
        return index;
    }
    /** The element at pt, or the one some periods of the region from it that is here. */
    public final def getPeriodic(pt:Point(rank)):T = Unsafe.get(raw(), periodic(pt));
    /** The element at (i0, i1, i2), or the one some periods of the region from it that is here. */
    public final def getPeriodic(i0:Long, i1:Long, i2:Long){rank==3}:T {
        val index = portion().find(i0, i1, i2);
        return Unsafe.get(raw(), index >= 0 ? index : periodic(Point.make(i0, i1, i2)));
    }
    /** Sets the element at pt, or the one some periods of the region from it that is here; the value is v. */
    public final def setPeriodic(pt:Point(rank), v:T):T {
        Unsafe.set(raw(), periodic(pt), v);
        return v;
    }

    /** The same elements, those of another distribution only. */
    public def restriction(d:Dist(rank)):DistArray[T](rank) = new DistArray[T](d, handle) as DistArray[T](rank);
    /** The same elements, those of r only. */
    public def restriction(r:Region(rank)):DistArray[T](rank) = restriction(dist.restriction(r as Region(dist.rank)) as Dist(rank));
    /** The same elements, those at p only. */
    public def restriction(p:Place):DistArray[T](rank) = restriction(dist.restriction(p) as Dist(rank));
    /** The same elements, those of r only. */
    public operator this | (r:Region(rank)):DistArray[T](rank) = restriction(r);
    /** The same elements, those at p only. */
    public operator this | (p:Place):DistArray[T](rank) = restriction(p);

    /** A copy of the elements of r, which are here. */
    public def getPatch(r:Region(this.rank){self.rect}):Array[T](this.rank){self.region==r} {
        val portion = portion();
        val mine = portion.region;
        if (!mine.rect) throw new UnsupportedOperationException("no patches of points that fill no box: " + mine);
        if (!mine.contains(r as Region(mine.rank)))
            throw new ArrayIndexOutOfBoundsException("cannot copy " + r + ": this place has " + mine);
        val patch = new Array[T](r, Unsafe.uninitialised[T](r.size()));
        patch.copy(portion as Array[T](patch.rank), r as Region(patch.rank));
        return patch as Array[T](this.rank){self.region==r};
    }

    /** Runs what at each place, with this place's points of filter, all of them if that is null. */
    private def everywhere(filter:Region, what:(Region)=>void):void {
        val dist = this.dist;
        finish for (p in dist.places()) async at (p) {
            val own:Region = dist.get(here);
            what(filter == null ? own : own.intersection(filter as Region(own.rank)));
        }
    }
    /** Sets all elements to v. */
    public def fill(v:T):void { everywhere(null, (own:Region)=>{ for (p in own) this(p as Point(rank)) = v; }); }
    /** op of each element, computed where it is. */
    public final def map[U](op:(T)=>U):DistArray[U](this.dist) =
        make[U](dist, (p:Point(dist.rank))=>op(this(p as Point(rank)))) as DistArray[U](this.dist);
    /** Sets the elements of dst to op of those here; gives dst. */
    public final def map[U](dst:DistArray[U](this.dist), op:(T)=>U):DistArray[U](dist){self==dst} {
        everywhere(null, (own:Region)=>{ for (p in own) dst(p as Point(dst.rank)) = op(this(p as Point(rank))); });
        return dst;
    }
    /** Sets the elements of dst at the points of filter to op of those here; gives dst. */
    public final def map[U](dst:DistArray[U](this.dist), filter:Region(rank), op:(T)=>U):DistArray[U](dist){self==dst} {
        everywhere(filter, (own:Region)=>{ for (p in own) dst(p as Point(dst.rank)) = op(this(p as Point(rank))); });
        return dst;
    }
    /** op of each element and that of src, computed where they are. */
    public final def map[S,U](src:DistArray[U](this.dist), op:(T,U)=>S):DistArray[S](dist) =
        make[S](dist, (p:Point(dist.rank))=>op(this(p as Point(rank)), src(p as Point(src.rank)))) as DistArray[S](dist);
    /** Sets the elements of dst to op of those here and in src; gives dst. */
    public final def map[S,U](dst:DistArray[S](this.dist), src:DistArray[U](this.dist), op:(T,U)=>S):DistArray[S](dist){self==dst} {
        everywhere(null, (own:Region)=>{
            for (p in own) dst(p as Point(dst.rank)) = op(this(p as Point(rank)), src(p as Point(src.rank)));
        });
        return dst;
    }
    /** Sets the elements of dst at the points of filter to op of those here and in src; gives dst. */
    public final def map[S,U](dst:DistArray[S](this.dist), src:DistArray[U](this.dist), filter:Region(rank), op:(T,U)=>S):DistArray[S](dist){self==dst} {
        everywhere(filter, (own:Region)=>{
            for (p in own) dst(p as Point(dst.rank)) = op(this(p as Point(rank)), src(p as Point(src.rank)));
        });
        return dst;
    }
    /** The elements reduced by op, in any order. */
    public final def reduce(op:(T,T)=>T, unit:T):T = reduce[T](op, op, unit);
    /** Each place's elements reduced by lop, and the places' results by gop, in the order of the places. */
    public final def reduce[U](lop:(U,T)=>U, gop:(U,U)=>U, unit:U):U {
        val dist = this.dist;
        val places = dist.places();
        val results = GlobalRail[U](new Rail[U](places.numPlaces(), unit));
        finish for (i in 0..(places.numPlaces() - 1)) async at (places(i)) {
            var sum:U = unit;
            for (p in dist.get(here)) sum = lop(sum, this(p as Point(rank)));
            val mine = sum;
            at (results.home()) async (results as GlobalRail[U]{self.home()==here})()(i) = mine;
        }
        var result:U = unit;
        for (value in results()) result = gop(result, value);
        return result;
    }

    /** Brings all ghosts up to date. */
    public def updateGhosts():void {
        if (local.ghosts == null) return;
        finish for (p in dist.places()) async at (p) {
            sendGhostsLocal();
            waitForGhostsLocal();
        }
    }
    /** Sends this place's borders to the neighbours. */
    public def sendGhostsLocal():void {
        val ghosts = local.ghosts;
        if (ghosts != null) ghosts.sendGhosts(this);
    }
    /** Waits until this place's ghosts are up to date. */
    public def waitForGhostsLocal():void {
        val ghosts = local.ghosts;
        if (ghosts != null) ghosts.waitOnGhosts();
    }
    /** Sends the elements of overlap, which are here, to the neighbour, where their indices are shift more. */
    public def putOverlap(overlap:Region{rect}, neighborPlace:Place, shift:Point(overlap.rank), phase:Byte):void {
        if (overlap.isEmpty()) return;
        val source = here;
        val patch = getPatch(overlap as Region(this.rank){self.rect}).raw();
        val there = overlap.translate(shift);
        @Uncounted async at (neighborPlace) {
            val ghosts = local.ghosts;
            when (ghosts.currentPhase() == phase) {}
            val portion = portion();
            portion.copy(new Array[T](there, patch) as Array[T](portion.rank), there as Region(portion.rank));
            ghosts.setNeighborReceived(source, -shift);
        }
    }
    /** The distribution. */
    public def toString():String = "DistArray(" + dist + ")";
    /** Goes over the points of the region. */
    public def iterator():Iterator[Point(rank)] = region.iterator() as Iterator[Point(rank)];
    /** The points of the region, row by row: what loops use. */
    public def rows():Rows = region.rows();
}

/** The distributed arrays of rank r. */
public type DistArray[T](r:Long) = DistArray[T]{self.rank==r};
/** The distributed arrays of region r. */
public type DistArray[T](r:Region) = DistArray[T]{self.region==r};
/** The distributed arrays of distribution d. */
public type DistArray[T](d:Dist) = DistArray[T]{self.dist==d};
/** The distributed array a. */
public type DistArray[T](a:DistArray[T]) = DistArray[T]{self==a};
