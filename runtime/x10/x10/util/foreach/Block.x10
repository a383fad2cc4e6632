package x10.util.foreach;

import x10.array.BlockingUtils;
import x10.array.DenseIterationSpace_2;
import x10.xrx.Runtime;

/** Loops cut into as many blocks as there are threads, with an activity for each. */
public final class Block {
    /** Part number t of count nearly equal ones. */
    private static def part(range:LongRange, count:Long, t:Long):LongRange = BlockingUtils.block(range.min, range.max, count, t);
    /** Part number t of count: blocks of rows, or of columns if there are too few rows. */
    private static def part(space:DenseIterationSpace_2, count:Long, t:Long):DenseIterationSpace_2 {
        if ((space.min0..space.max0).size() >= count) {
            val rows = part(space.min0..space.max0, count, t);
            return new DenseIterationSpace_2(rows.min, space.min1, rows.max, space.max1);
        }
        val columns = part(space.min1..space.max1, count, t);
        return new DenseIterationSpace_2(space.min0, columns.min, space.max0, columns.max);
    }

    /** Runs body for each block of range. */
    public static operator for(range:LongRange, body:(range:LongRange)=>void):void {
        val count = Runtime.NTHREADS as Long;
        finish {
            for (t in 1..(count - 1)) {
                val block = part(range, count, t);
                if (block.min <= block.max) async body(block);
            }
            val first = part(range, count, 0);
            if (first.min <= first.max) body(first);
        }
    }
    /** Runs body for each number of range. */
    public static operator for(range:LongRange, body:(i:Long)=>void):void {
        Block.operator for(range, (block:LongRange)=>{ Sequential.operator for(block, body); });
    }
    /** Runs body for each index pair of space. */
    public static operator for(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>void):void {
        val count = Runtime.NTHREADS as Long;
        finish for (t in 0..(count - 1)) async Sequential.operator for(part(space, count, t), body);
    }
    /** What body makes of the numbers of range, combined by reduce. */
    public static operator for[T](range:LongRange, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long)=>T):T =
        Block.operator for[T](range, reduce, (block:LongRange)=>Sequential.operator for[T](block, reduce, identity, body));
    /** What body makes of the index pairs of space, combined by reduce. */
    public static operator for[T](space:DenseIterationSpace_2, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long, j:Long)=>T):T {
        val count = Runtime.NTHREADS as Long;
        val results = Unsafe.allocRailUninitialized[T](count);
        finish for (t in 0..(count - 1)) async results(t) = Sequential.operator for[T](part(space, count, t), reduce, identity, body);
        return combine[T](results, reduce);
    }
    /** What body makes of each block of range, combined by reduce. */
    public static operator for[T](range:LongRange, reduce:(a:T, b:T)=>T, body:(range:LongRange)=>T):T {
        // No block is empty unless the range is.
        val count = Math.max(1, Math.min(Runtime.NTHREADS as Long, range.size()));
        val results = Unsafe.allocRailUninitialized[T](count);
        finish {
            for (t in 1..(count - 1)) async results(t) = body(part(range, count, t));
            results(0) = body(part(range, count, 0));
        }
        return combine[T](results, reduce);
    }
    private static def combine[T](results:Rail[T], reduce:(a:T, b:T)=>T):T {
        var result:T = results(0);
        for (t in 1..(results.size - 1)) result = reduce(result, results(t));
        return result;
    }

    /** A loop whose bodies give values, which are combined: r.for (i:Long in range) { ...; value }, then r.value(). */
    public static final class Reducer[T] {
        /** How two values are combined: associative and commutative. */
        public val reduce:(T, T)=>T;
        /** The value that changes nothing. */
        public val identity:T;
        /** The result of the last loop is the one element. */
        private val result:Rail[T] = Unsafe.allocRailUninitialized[T](1);
        private var ready:Boolean = false;

        /** Combines by reduce. */
        public def this(reduce:(T, T)=>T, identity:T) { this.reduce = reduce; this.identity = identity; }
        /** Combines by red. */
        public def this(red:Reducible[T]) { this.reduce = (a:T, b:T)=>red(a, b); this.identity = red.zero(); }
        /** The result of the last loop; raises a ReduceNotReady if there was none. */
        public final def value() throws ReduceNotReady:T {
            if (!ready) throw new ReduceNotReady();
            return result(0);
        }
        /** What body makes of the numbers of range, combined. */
        public final operator for(range:LongRange, body:(i:Long)=>T):T {
            val found = Block.operator for(range, reduce, identity, body);
            result(0) = found;
            ready = true;
            return found;
        }
        /** What body makes of the index pairs of space, combined. */
        public final operator for(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>T):T {
            val found = Block.operator for(space, reduce, identity, body);
            result(0) = found;
            ready = true;
            return found;
        }
    }
}
