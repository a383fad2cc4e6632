import x10.compiler.CUDA;
import x10.compiler.Unroll;
import x10.compiler.StackAllocate;
import x10.util.ArrayList;
import x10.util.CUDAUtilities;

/**
 * The product of two matrices of Floats as an expert writes it, beside cuda/multiply.cu, the same by hand, and cuBLAS. Matrices are
 * column-major. A block computes ROWS by COLUMNS elements, a thread 8 by WIDTH of them, in registers, from tiles of both matrices in
 * shared memory that are DEPTH deep; while they do so with one pair of tiles, the next one is on its way from memory. Median of 20
 * launches and waits, and a sum over the results, some of which are compared with what the plain formula gives. Argument: small, to
 * try it, or a size, a multiple of 128 (4096).
 */
public class multiply {
    static THREADS = 256n;
    static ROWS = 128n;
    static WIDTH = 8n;
    static COLUMNS = 16n * WIDTH;
    static DEPTH = 8n;
    /** Rows of tiles of b, which are transposed as they are stored, are longer than need be: no two threads of a warp store to a bank. */
    static PITCH = COLUMNS + 4n;
    /** How many elements of the tiles a thread brings, and how far they lie apart. */
    static SHARE_A = ROWS * DEPTH / THREADS;
    static STEP_A = THREADS / ROWS;
    static SHARE_B = COLUMNS * DEPTH / THREADS;
    static STEP_B = THREADS / DEPTH;

    static def multiply(p:Place, n:Int, a:GlobalRail[Float]{home==p}, b:GlobalRail[Float]{home==p}, c:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([by, bx] in (0n..(n / COLUMNS - 1n)) * (0n..(n / ROWS - 1n))) async {
                val tilesA = new Rail[Float](2n * DEPTH * ROWS, 0.0f);
                val tilesB = new Rail[Float](2n * DEPTH * PITCH, 0.0f);
                clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                    @StackAllocate val sums = new Rail[Float](8n * WIDTH);
                    @StackAllocate val nextA = new Rail[Float](SHARE_A);
                    @StackAllocate val nextB = new Rail[Float](SHARE_B);
                    @StackAllocate val left = new Rail[Float](8);
                    @StackAllocate val right = new Rail[Float](WIDTH);
                    // What a thread brings. Neighbours read neighbours in memory: 128 of a column of a, 8 of a column of b.
                    val rowA = thread % ROWS;
                    val depthA = thread / ROWS;
                    val depthB = thread % DEPTH;
                    val columnB = thread / DEPTH;
                    val fromA = depthA * n + bx * ROWS + rowA;
                    val fromB = (by * COLUMNS + columnB) * n + depthB;
                    val toA = depthA * ROWS + rowA;
                    val toB = depthB * PITCH + columnB;
                    // Where it computes: a warp's threads are 8 by 4, each with groups of four rows and of four columns, read at once.
                    val row = thread / 32n % 2n * 64n + thread % 8n * 4n;
                    val column = thread / 64n * (4n * WIDTH) + thread % 32n / 8n * 4n;
                    for (i in 0n..(SHARE_A - 1n)) tilesA(toA + i * STEP_A * ROWS) = a(fromA + i * STEP_A * n);
                    for (i in 0n..(SHARE_B - 1n)) tilesB(toB + i * STEP_B) = b(fromB + i * STEP_B * n);
                    Clock.advanceAll();
                    for (var k:Int = 0n; k < n; k += DEPTH) {
                        val stage = k / DEPTH % 2n;
                        val next = k + DEPTH;
                        if (next <= n - DEPTH) {
                            for (i in 0n..(SHARE_A - 1n)) nextA(i) = a(fromA + (next + i * STEP_A) * n);
                            for (i in 0n..(SHARE_B - 1n)) nextB(i) = b(fromB + next + i * STEP_B * n);
                        }
                        @Unroll(8) for (d in 0n..(DEPTH - 1n)) {
                            val fromLeft = (stage * DEPTH + d) * ROWS + row;
                            val fromRight = (stage * DEPTH + d) * PITCH + column;
                            for (i in 0n..7n) left(i) = tilesA(fromLeft + i / 4n * 32n + i % 4n);
                            for (j in 0n..(WIDTH - 1n)) right(j) = tilesB(fromRight + j / 4n * 16n + j % 4n);
                            for (j in 0n..(WIDTH - 1n)) for (i in 0n..7n) sums(j * 8n + i) = sums(j * 8n + i) + left(i) * right(j);
                        }
                        if (next <= n - DEPTH) {
                            for (i in 0n..(SHARE_A - 1n)) tilesA((1n - stage) * DEPTH * ROWS + toA + i * STEP_A * ROWS) = nextA(i);
                            for (i in 0n..(SHARE_B - 1n)) tilesB((1n - stage) * DEPTH * PITCH + toB + i * STEP_B) = nextB(i);
                        }
                        Clock.advanceAll();
                    }
                    val to = (by * COLUMNS + column) * n + bx * ROWS + row;
                    for (j in 0n..(WIDTH - 1n)) for (i in 0n..7n)
                        c(to + (j / 4n * 16n + j % 4n) * n + i / 4n * 32n + i % 4n) = sums(j * 8n + i);
                }
            }
        }
    }

    static def element(seed:Long, i:Long) = ((i * seed) % 1000) as Float * 0.001f;

    static def rail(p:Place, n:Int, seed:Long) = CUDAUtilities.makeGlobalRail[Float](p, (n as Long) * n, new Rail[Float]((n as Long) * n, (i:Long)=>element(seed, i)));

    /** Compares some elements of every tile with the plain formula. A product that is missing or wrong is of the order of 0.25. */
    static def check(n:Long, c:Rail[Float]) {
        for (var i:Long = 0; i < n; i += 37) for (var j:Long = i % 41; j < n; j += 101) {
            var sum:Double = 0.0;
            for (k in 0..(n - 1)) sum += (element(31, k * n + i) as Double) * element(17, j * n + k);
            if (Math.abs(c(j * n + i) - sum) > 1.0E-5 * n) throw new Exception("element " + i + ", " + j + " is " + c(j * n + i) + ", not " + sum);
        }
    }

    public static def main(args:Rail[String]) {
        val size = args.size == 0 ? "4096" : args(0);
        val n = size.equals("small") ? 256n : Int.parse(size);
        if (n <= 0n || n % COLUMNS != 0n || n % ROWS != 0n) throw new IllegalArgumentException("not a multiple of " + COLUMNS + ": " + n);
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val a = rail(p, n, 31);
        val b = rail(p, n, 17);
        val c = CUDAUtilities.makeGlobalRail[Float](p, (n as Long) * n);
        for (i in 1..3) multiply(p, n, a, b, c);
        val times = new ArrayList[Long]();
        for (i in 1..20) {
            val start = System.nanoTime();
            multiply(p, n, a, b, c);
            times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        val result = new Rail[Float]((n as Long) * n);
        finish Rail.asyncCopy(c, 0, result, 0, result.size);
        check(n, result);
        var sum:Double = 0.0;
        for (value in result) sum += value;
        val milliseconds = times(10) / 1.0E6;
        Console.OUT.printf("multiply %d: median %.4f ms (%.2f TFLOP/s), sum %.6e\n", n, milliseconds, 2.0 * n * n * n / milliseconds / 1.0E9, sum);
        for (rail in [a, b, c]) CUDAUtilities.deleteGlobalRail(rail);
    }
}
