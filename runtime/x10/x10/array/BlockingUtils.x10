package x10.array;

/**
 * How index spaces are cut into blocks. Along one axis the blocks are contiguous and their sizes differ by at most one, the larger
 * first. Two axes are cut by a grid of as many cells as there are blocks, numbered row by row; the grid is the one that makes the
 * largest block smallest.
 */
public class BlockingUtils {
    /** The first number of block i of n blocks of min..max. */
    private static def start(min:Long, max:Long, n:Long, i:Long):Long {
        val size = max < min ? 0 : max - min + 1;
        return min + i * (size / n) + Math.min(i, size % n);
    }
    /** Block i of n of min..max. */
    static def block(min:Long, max:Long, n:Long, i:Long):LongRange = start(min, max, n, i)..(start(min, max, n, i + 1) - 1);

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
        val size = max - min + 1;
        val small = size / n;
        val large = size % n;
        val inLarge = large * (small + 1);
        val index = i - min;
        return index < inLarge ? index / (small + 1) : large + (index - inLarge) / small;
    }

    /** Into how many rows the grid cuts a space of size0 by size1 that is cut into n blocks; it divides n. */
    public static def gridRows(size0:Long, size1:Long, n:Long):Long {
        var best:Long = n;
        var least:Long = Long.MAX_VALUE;
        var border:Long = Long.MAX_VALUE;
        for (rows in 1..n) {
            if (n % rows != 0) continue;
            val columns = n / rows;
            val height = (size0 + rows - 1) / rows;
            val width = (size1 + columns - 1) / columns;
            if (height * width < least || height * width == least && height + width < border) {
                best = rows;
                least = height * width;
                border = height + width;
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
        val rows = gridRows(max0 - min0 + 1, max1 - min1 + 1, n);
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
        val rows = gridRows(max0 - min0 + 1, max1 - min1 + 1, n);
        val columns = n / rows;
        return mapIndexToBlockPartition(min0, max0, rows, i) * columns + mapIndexToBlockPartition(min1, max1, columns, j);
    }
}
