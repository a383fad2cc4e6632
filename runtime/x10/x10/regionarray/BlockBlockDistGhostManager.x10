package x10.regionarray;

/** The ghosts of a distribution in a grid of blocks. */
final class BlockBlockDistGhostManager extends BlockGhostManager {
    def this(ghostWidth:Long, dist:BlockBlockDist, periodic:Boolean) {
        super(ghostWidth, dist, [dist.axis0(), dist.axis1()], periodic);
    }
}
