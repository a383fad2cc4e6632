package x10.regionarray;

import x10.util.ArrayList;

/** The ghosts of a distribution whose places have boxes: those within ghostWidth on the axes that are cut. */
class BlockGhostManager extends GhostManager {
    private val dist:Dist;
    private val axes:Rail[Long];
    private val periodic:Boolean;
    /** To whom this place sends, and by how much the indices there differ. */
    private val targets = new ArrayList[Link]();
    /** From whom this place gets ghosts; the shift is that of the way back. */
    private val sources = new ArrayList[Link]();

    def this(ghostWidth:Long, dist:Dist, axes:Rail[Long], periodic:Boolean) {
        super(ghostWidth);
        this.dist = dist; this.axes = axes; this.periodic = periodic;
        for (place in dist.places()) addNeighbor(place);
    }
    private def addNeighbor(place:Place):void {
        val mine = dist.get(here);
        val theirs = dist.get(place);
        if (mine.isEmpty() || theirs.isEmpty()) return;
        var count:Long = 1;
        if (periodic) for (axis in axes) count *= 3;
        for (n in 0..(count - 1)) {
            val shift = periodic ? shift(n) : Point.make(dist.rank, (i:Long)=>0);
            if (place == here && isZero(shift)) continue;
            if (!meet(mine, shift, ghosts(place)).isEmpty()) targets.add(new Link(place, shift));
            if (!meet(theirs, shift, ghosts(here)).isEmpty()) sources.add(new Link(place, -shift));
        }
    }
    /** Shift number n: on each axis that is cut none, or a period down or up. */
    private def shift(n:Long):Point {
        val shift = new Rail[Long](dist.rank);
        var rest:Long = n;
        for (axis in axes) {
            shift(axis) = (rest % 3 - 1) * (dist.region.max(axis) - dist.region.min(axis) + 1);
            rest /= 3;
        }
        return Point.make(shift);
    }
    private static def isZero(p:Point):Boolean {
        for (i in 0..(p.rank - 1)) if (p(i) != 0) return false;
        return true;
    }
    private static def meet(own:Region, shift:Point, ghosts:Region):Region {
        val moved = own.translate(shift as Point(own.rank));
        return moved.intersection(ghosts as Region(moved.rank));
    }
    /** Whether ghosts reach along that axis. */
    private def isCut(axis:Long):Boolean {
        for (cut in axes) if (cut == axis) return true;
        return false;
    }

    public def getNeighbors():Rail[Place] = new Rail[Place](targets.size(), (i:Long)=>targets(i).peer);
    public def getGhostRegion(place:Place):Region = ghosts(place);
    private def ghosts(place:Place):Region {
        val own = dist.get(place);
        if (own.isEmpty()) return own;
        val all = dist.region;
        val low = new Rail[Long](own.rank);
        val high = new Rail[Long](own.rank);
        for (i in 0..(own.rank - 1)) {
            val width = isCut(i) ? ghostWidth : 0;
            low(i) = own.min(i) - width;
            high(i) = own.max(i) + width;
            if (!periodic) {
                low(i) = Math.max(low(i), all.min(i));
                high(i) = Math.min(high(i), all.max(i));
            }
        }
        return Region.makeRectangular(low, high);
    }
    public atomic def setNeighborReceived(place:Place, shift:Point):void {
        var known:Boolean = false;
        for (source in sources) {
            val found = source.leadsTo(place, shift);
            known = known || found;
            source.arrived = source.arrived || found;
        }
        if (!known) throw new BadPlaceException(here + " gets no ghosts from " + place + " at a distance of " + shift);
    }
    public atomic def allNeighborsReceived():Boolean {
        for (source in sources) if (!source.arrived) return false;
        return true;
    }
    public atomic def resetNeighborsReceived():void { for (source in sources) source.arrived = false; }
    public def sendGhosts(array:Ghostable):void {
        prepareToSendGhosts();
        val own = dist.get(here);
        for (target in targets) {
            val there = meet(own, target.offset, getGhostRegion(target.peer));
            val overlap = there.translate((-target.offset) as Point(there.rank));
            array.putOverlap(overlap as Region{rect}, target.peer, target.offset as Point(overlap.rank), currentPhase());
        }
    }
}
