package x10.util.foreach;

import x10.array.DenseIterationSpace_2;

/** Loops with an activity for each index. */
public final class Basic {
    /** Runs body for each number of range. */
    public static operator for(range:LongRange, body:(i:Long)=>void):void {
        finish for (i in range) async body(i);
    }
    /** Runs body for each index pair of space. */
    public static operator for(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>void):void {
        finish for (i in space.min0..space.max0) for (j in space.min1..space.max1) async body(i, j);
    }
}
