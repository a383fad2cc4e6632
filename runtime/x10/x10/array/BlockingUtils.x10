package x10.array;

/**
 * How index spaces are cut into blocks. Along one axis the blocks are contiguous and their sizes differ by at most one, the larger
 * first. Two axes are cut by a grid of as many cells as there are blocks, numbered row by row; the chosen grid makes the
 * largest block smallest.
 */
public class BlockingUtils {
    // There may be more numbers than a Long can count: sizes are ULongs, of which max - min is always one. With q = (max - min) / n
    // and r = (max - min) % n + 1 there are q * n + r numbers, and r is from 1 to n. There are two blocks or more.
    /** The least size of n blocks of min..max, which is not empty. */
    private static def least(min:Long, max:Long, n:Long):ULong = (max - min) as ULong / (n as ULong) + (larger(min, max, n) == 0 ? 1ul : 0ul);
    /** How many of n blocks of min..max have one number more than the others. */
    private static def larger(min:Long, max:Long, n:Long):Long = ((max - min) as ULong % (n as ULong)) as Long + 1 == n ? 0
        : ((max - min) as ULong % (n as ULong)) as Long + 1;
    /** Block i of n of min..max. */
    public static def block(min:Long, max:Long, n:Long, i:Long):LongRange {
        if (n == 0) throw new ArithmeticException("a range cut into 0 blocks");
        if (max < min || i < 0 || i >= n) return min == Long.MIN_VALUE ? (min + 1)..min : min..(min - 1);
        if (n == 1) return min..max;
        val each = least(min, max, n);
        val extra = larger(min, max, n);
        val low = min + ((i as ULong) * each) as Long + Math.min(i, extra);
        val count = each + (i < extra ? 1ul : 0ul);
        // An empty block begins behind the one before it, which may end at the largest number.
        if (count == 0ul && low == Long.MIN_VALUE) return Long.MAX_VALUE..(Long.MAX_VALUE - 1);
        return low..(low + (count - 1ul) as Long);
    }
    /** How many numbers there are from min to max; Long.MAX_VALUE if there are more. */
    private static def extent(min:Long, max:Long):Long = LongRange(min, max).size();

    /** The n blocks of a space, which is cut along its one axis. */
    public static def partitionBlock(is:IterationSpace(1), n:Long):Rail[DenseIterationSpace_1{self!=null}]{self.size==n,self!=null} =
        new Rail[DenseIterationSpace_1{self!=null}](n, (i:Long)=>partitionBlock(is, n, i));
    /** Block i of n of a space. */
    public static def partitionBlock(is:IterationSpace(1), n:Long, i:Long):DenseIterationSpace_1{self!=null} {
        if (!is.rect) throw new UnsupportedOperationException("only dense spaces are cut into blocks");
        return partitionBlock(is.min(0), is.max(0), n, i);
    }
    /** Block i of n of min..max. */
    public static def partitionBlock(min:Long, max:Long, n:Long, i:Long):DenseIterationSpace_1{self!=null} {
        val r = block(min, max, n, i);
        return r.max < r.min ? DenseIterationSpace_1.EMPTY : new DenseIterationSpace_1(r.min, r.max);
    }
    /** Which of n blocks of a space has the index i; -1 if none has. */
    public static def mapIndexToBlockPartition(is:IterationSpace(1), n:Long, i:Long):Long =
        mapIndexToBlockPartition(is.min(0), is.max(0), n, i);
    /** Which of n blocks of min..max has the index i; -1 if none has. */
    public static def mapIndexToBlockPartition(min:Long, max:Long, n:Long, i:Long):Long {
        if (i < min || i > max) return -1;
        if (n == 1) return 0;
        val small = least(min, max, n);
        val large = larger(min, max, n);
        val inLarge = (large as ULong) * (small + 1ul);
        val index = (i - min) as ULong;
        return index < inLarge ? (index / (small + 1ul)) as Long : large + ((index - inLarge) / small) as Long;
    }

    /** Into how many rows the grid cuts a space of size0 by size1 that is cut into n blocks; it divides n. */
    public static def gridRows(size0:Long, size1:Long, n:Long):Long {
        var best:Long = n;
        var least:Long = Long.MAX_VALUE;
        var border:Long = Long.MAX_VALUE;
        for (rows in 1..n) {
            if (n % rows != 0) continue;
            val columns = n / rows;
            val height = size0 / rows + (size0 % rows > 0 ? 1 : 0);
            val width = size1 / columns + (size1 % columns > 0 ? 1 : 0);
            val area = IterationSpace.product(height, width);
            // Half of each: the sum of two Longs may be none.
            val half = height / 2 + width / 2 + (height % 2 + width % 2) / 2;
            if (area < least || area == least && half < border) {
                best = rows;
                least = area;
                border = half;
            }
        }
        return best;
    }

    /** The n blocks of a space, which is cut along both axes. */
    public static def partitionBlockBlock(is:IterationSpace(2), n:Long):Rail[DenseIterationSpace_2{self!=null}]{self.size==n,self!=null} =
        new Rail[DenseIterationSpace_2{self!=null}](n, (i:Long)=>partitionBlockBlock(is, n, i));
    /** Block i of n of a space. */
    public static def partitionBlockBlock(is:IterationSpace(2), n:Long, i:Long):DenseIterationSpace_2{self!=null} {
        if (!is.rect) throw new UnsupportedOperationException("only dense spaces are cut into blocks");
        return partitionBlockBlock(is.min(0), is.min(1), is.max(0), is.max(1), n, i);
    }
    /** Block i of n of a rectangle. */
    public static def partitionBlockBlock(min0:Long, min1:Long, max0:Long, max1:Long, n:Long, i:Long):DenseIterationSpace_2{self!=null} {
        val rows = gridRows(extent(min0, max0), extent(min1, max1), n);
        val columns = n / rows;
        val r = block(min0, max0, rows, i / columns);
        val c = block(min1, max1, columns, i % columns);
        if (r.max < r.min || c.max < c.min) return DenseIterationSpace_2.EMPTY;
        return new DenseIterationSpace_2(r.min, c.min, r.max, c.max);
    }
    /** Which of n blocks of a space has the index (i, j); -1 if none has. */
    public static def mapIndexToBlockBlockPartition(is:IterationSpace(2), n:Long, i:Long, j:Long):Long =
        mapIndexToBlockBlockPartition(is.min(0), is.min(1), is.max(0), is.max(1), n, i, j);
    /** Which of n blocks of a rectangle has the index (i, j); -1 if none has. */
    public static def mapIndexToBlockBlockPartition(min0:Long, min1:Long, max0:Long, max1:Long, n:Long, i:Long, j:Long):Long {
        if (i < min0 || i > max0 || j < min1 || j > max1) return -1;
        val rows = gridRows(extent(min0, max0), extent(min1, max1), n);
        val columns = n / rows;
        return mapIndexToBlockPartition(min0, max0, rows, i) * columns + mapIndexToBlockPartition(min1, max1, columns, j);
    }
}
