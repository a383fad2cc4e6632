package x10.regionarray;

/** The ghosts of a block distribution. */
final class BlockDistGhostManager extends BlockGhostManager {
    private val dist:Dist;
    private val periodic:Boolean;

    def this(ghostWidth:Long, dist:Dist, axis:Long, periodic:Boolean) {
        super(ghostWidth, dist, [axis], periodic);
        this.dist = dist; this.periodic = periodic;
    }
    /** The places of the blocks before and behind this one; this place where there is none. */
    public def getNeighbors():Rail[Place] {
        val places = dist.places();
        val index = places.indexOf(here);
        val last = places.numPlaces() - 1;
        val left = index > 0 ? places(index - 1) : (periodic ? places(last) : here);
        val right = index < last ? places(index + 1) : (periodic ? places(0) : here);
        return [left, right];
    }
}
