import x10.compiler.*;
import x10.util.*;

/**
 * Cannon's product of two matrices on a square of slots: each block of a kernel holds a tile of both, and passes them on to its
 * neighbours by sendRecvReplace between multiplications. The square lies over an accelerator of each place, or over the places
 * themselves where they have none.
 *
 * apg run cannon.x10 [-- TILE]
 */
public class Cannon {
    /** Slots of a row and of a column; a multiple of it is the number of blocks of all places. */
    static Q = 4n;
    static THREADS = 64n;

    public static def main(args:Rail[String]) {
        val tile = args.size > 0 ? Long.parse(args(0)) : 48;
        val places = Place.numPlaces();
        if (Q % places != 0) throw new IllegalArgumentException("rows of the square are divided among places: 1, 2 or 4");
        val rows = Q / places;
        val group = SlotGroup.make(new Rail[SlotsAt](places, (i:Long)=>SlotsAt(SlotGroup.kernelPlaces(Place(i))(0), 0, rows * Q)));
        val begin = System.nanoTime();
        finish for (p in Place.places()) at (p) async multiply(group, tile, rows);
        val seconds = (System.nanoTime() - begin) / 1e9;
        Console.OUT.println("a product of " + Q * tile + " x " + Q * tile + " on " + Q + " x " + Q + " slots");
        Console.ERR.println(seconds + " s");
        group.delete();
    }

    /** The elements of the factors. */
    static def a(i:Long, k:Long):Double = (i % 7) - (k % 5);
    static def b(k:Long, j:Long):Double = (k % 3) + (j % 11) - 4;

    /** The rows of slots of this place, by a kernel. */
    static def multiply(group:SlotGroup, n:Long, rows:Long) {
        val place = SlotGroup.kernelPlaces(here)(0);
        val slots = group.blocks(place);
        val first = slots.firstRank();
        val blocks = (rows * Q) as Int;
        // Tiles of this place's slots, shifted as Cannon's algorithm begins: row i by i to the left, column j by j up.
        val size = n * n;
        val leftTiles = new Rail[Double](blocks * size);
        val rightTiles = new Rail[Double](blocks * size);
        for (s in 0..(blocks - 1)) {
            val i = (first + s) / Q;
            val j = (first + s) % Q;
            val k = (i + j) % Q;
            for (r in 0..(n - 1)) for (c in 0..(n - 1)) {
                leftTiles(s * size + r * n + c) = a(i * n + r, k * n + c);
                rightTiles(s * size + r * n + c) = b(k * n + r, j * n + c);
            }
        }
        val left = GlobalRail.allocate[Double](place, blocks * size);
        val right = GlobalRail.allocate[Double](place, blocks * size);
        val product = GlobalRail.allocate[Double](place, blocks * size);
        finish { Rail.asyncCopy(leftTiles, 0, left, 0, leftTiles.size); Rail.asyncCopy(rightTiles, 0, right, 0, rightTiles.size); }
        finish async at (place) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                    val me = slots(block);
                    val i = me.rank / Q;
                    val j = me.rank % Q;
                    val offset = block * size;
                    for (var step:Int = 0n; step < Q; ++step) {
                        for (var e:Long = thread; e < size; e += THREADS) {
                            val r = e / n;
                            val c = e % n;
                            var sum:Double = product(offset + e);
                            for (var k:Long = 0; k < n; ++k) sum += left(offset + r * n + k) * right(offset + k * n + c);
                            product(offset + e) = sum;
                        }
                        me.sendRecvReplace(i * Q + (j + Q - 1) % Q, i * Q + (j + 1) % Q, left, offset, size);
                        me.sendRecvReplace((i + Q - 1) % Q * Q + j, (i + 1) % Q * Q + j, right, offset, size);
                    }
                }
            }
        }
        val result = new Rail[Double](blocks * size);
        finish Rail.asyncCopy(product, 0, result, 0, result.size);
        // Some elements of each tile, by the definition.
        for (s in 0..(blocks - 1)) for (var e:Long = 0; e < size; e += 97) {
            val row = (first + s) / Q * n + e / n;
            val column = (first + s) % Q * n + e % n;
            var sum:Double = 0.0;
            for (k in 0..(Q * n - 1)) sum += a(row, k) * b(k, column);
            if (sum != result(s * size + e)) throw new AssertionError("element (" + row + ", " + column + ") is " + result(s * size + e) + " instead of " + sum);
        }
        left.free();
        right.free();
        product.free();
    }
}
