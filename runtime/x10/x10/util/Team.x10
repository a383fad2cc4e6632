package x10.util;

import x10.compiler.Intrinsic;

/**
 * Collective operations: each place of the team calls the same operation in the same order, with an activity of its own.
 */
public struct Team {
    private val id:Long;

    private def this(id:Long) { this.id = id; }

    /** The team of all host places. */
    public static WORLD:Team = Team(0);

    /** Sum. */
    public static ADD:Int = 0n;
    /** Product. */
    public static MUL:Int = 1n;
    /** Bitwise and. */
    public static AND:Int = 2n;
    /** Bitwise or. */
    public static OR:Int = 3n;
    /** Bitwise exclusive or. */
    public static XOR:Int = 4n;
    /** Greatest. */
    public static MAX:Int = 5n;
    /** Least. */
    public static MIN:Int = 6n;

    /** How many places. */
    public def size():Long = Place.numPlaces();
    /** Waits for all places. */
    public def barrier():void { barrier(id); }
    /** Copies count elements of the place root's src to every place's dst. */
    public def bcast[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        broadcast(id, root.id, src, srcIndex, dst, dstIndex, count);
    }
    /** Combines count elements of every place's src, element by element, into the place root's dst. */
    public def reduce[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long, op:Int):void {
        reduce(id, root.id, src, srcIndex, dst, dstIndex, count, op);
    }
    /** Combines count elements of every place's src, element by element, into every place's dst. */
    public def allreduce[T](src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long, op:Int):void {
        allReduce(id, src, srcIndex, dst, dstIndex, count, op);
    }
    /** Combines one value of every place. */
    public def allreduce[T](value:T, op:Int):T {
        val cell = new Rail[T](1, value);
        allReduce(id, cell, 0, cell, 0, 1, op);
        return cell(0);
    }

    @Intrinsic("rt.team_barrier") private static native def barrier(team:Long):void;
    @Intrinsic("rt.team_broadcast") private static native def broadcast(team:Long, root:Long, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long):void;
    @Intrinsic("rt.team_reduce") private static native def reduce(team:Long, root:Long, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long, op:Int):void;
    @Intrinsic("rt.team_all_reduce") private static native def allReduce(team:Long, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long, op:Int):void;
}
