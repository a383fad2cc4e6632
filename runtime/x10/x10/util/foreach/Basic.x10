package x10.util.foreach;

import x10.array.DenseIterationSpace_2;

/** Loops with an activity for each index. */
public final class Basic {
    /** Runs body for each number of range. */
    public static operator for(range:LongRange, body:(i:Long)=>void):void {
        finish for (var i:Long = range.min; i <= range.max; i++) {
            val index = i;
            async body(index);
        }
    }
    /** Runs body for each index pair of space. */
    public static operator for(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>void):void {
        finish for (var i:Long = space.min0; i <= space.max0; i++) for (var j:Long = space.min1; j <= space.max1; j++) {
            val row = i;
            val column = j;
            async body(row, column);
        }
    }
}
