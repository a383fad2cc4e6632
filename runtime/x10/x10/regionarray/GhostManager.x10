package x10.regionarray;

/**
 * Keeps the ghosts of one place of a distributed array up to date: copies of the points within ghostWidth of the place's own. Sending is
 * done in phases, one at all places after the other, so that a fast neighbour does not overtake a slow one.
 */
public abstract class GhostManager {
    /** How far ghosts reach. */
    public val ghostWidth:Long;
    /** Odd while ghosts are sent. */
    protected var currentPhase:Byte = 0y;

    /** For ghosts of that width. */
    public def this(ghostWidth:Long) { this.ghostWidth = ghostWidth; }

    /** The number of the phase. */
    public final def currentPhase():Byte = currentPhase;
    /** The places that have ghosts of this one. */
    public abstract def getNeighbors():Rail[Place];
    /** The points of the place and its ghosts. */
    public abstract def getGhostRegion(place:Place):Region;
    /** Notes that the ghosts that a neighbour sends with that shift are here. */
    public abstract def setNeighborReceived(place:Place, shift:Point):void;
    /** Whether all ghosts are here. */
    public abstract def allNeighborsReceived():Boolean;
    /** Forgets which ghosts are here. */
    public abstract def resetNeighborsReceived():void;
    /** Sends the borders to the neighbours. */
    public abstract def sendGhosts(array:Ghostable):void;

    /** Waits until all ghosts are here, and ends the phase. */
    public def waitOnGhosts():void {
        when (allNeighborsReceived()) {
            resetNeighborsReceived();
            nextPhase();
        }
    }
    /** Begins a phase. */
    public def prepareToSendGhosts():void { atomic nextPhase(); }
    private def nextPhase():void { currentPhase++; }

    /** A neighbour at one distance: an element here has at the peer an index that is offset more. */
    static class Link {
        val peer:Place;
        val offset:Point;
        /** Whether the peer's ghosts of this phase are here. */
        var arrived:Boolean = false;

        def this(peer:Place, offset:Point) { this.peer = peer; this.offset = offset; }
        /** Whether it is the link to that place at that distance. */
        def leadsTo(place:Place, distance:Point):Boolean = distance.equals(offset) && place == peer;
    }
}
