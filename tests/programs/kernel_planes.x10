import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Loops with barriers whose iterations lie far from each other in memory: planes and tiles, up and down, of several types, under conditions. */
public class kernel_planes {
    static WIDTH = 48n;
    static HEIGHT = 32n;
    static DEPTH = 9n;
    static PLANE = WIDTH * HEIGHT;

    static def fetch[T](from:GlobalRail[T], n:Long){T haszero} {
        val all = new Rail[T](n);
        finish Rail.asyncCopy(from, 0, all, 0, n);
        CUDAUtilities.deleteGlobalRail(from);
        return all;
    }

    static def same(what:String, wrong:Long) {
        Console.OUT.println(what + (wrong == 0 ? ": right" : ": " + wrong + " wrong"));
    }

    /** Each plane is the one before, smoothed in a tile with a halo above and below, plus what is there. */
    static def smooth(p:Place, width:Int, height:Int, depth:Int) {
        val n = width * height * depth;
        val from = CUDAUtilities.makeGlobalRail[Double](p, n, (i:Long) => (i % 23) * 0.5);
        val to = CUDAUtilities.makeGlobalRail[Double](p, n, (i:Long) => -1.0);
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..(height / 8n - 1n) * 0n..(width / 16n - 1n)) async {
                val tile = new Rail[Double](10 * 16);
                clocked finish for ([ty, tx] in 0n..7n * 0n..15n) clocked async {
                    val x = bx * 16n + tx;
                    val y = by * 8n + ty;
                    var before:Double = 0.0;
                    for (var z:Int = 0n; z < depth; z++) {
                        val plane = z * height;
                        tile((ty + 1n) * 16n + tx) = from((plane + y) * width + x);
                        if (ty == 0) {
                            if (y > 0n) tile(tx) = from((plane + y - 1n) * width + x);
                            else tile(tx) = 0.0;
                        } else if (ty == 7) {
                            tile(9n * 16n + tx) = y + 1n < height ? from((plane + y + 1n) * width + x) : 0.0;
                        }
                        Clock.advanceAll();
                        val value = tile(ty * 16n + tx) + 2.0 * tile((ty + 1n) * 16n + tx) + tile((ty + 2n) * 16n + tx) + before;
                        before = from((plane + y) * width + x);
                        to((plane + y) * width + x) = value;
                        Clock.advanceAll();
                    }
                }
            }
        }
        val found = fetch(to, n);
        val value = (x:Long, y:Long, z:Long) => y < 0 || y >= height || z < 0 ? 0.0 : (((z * height + y) * width + x) % 23) * 0.5;
        var wrong:Long = 0;
        for (z in 0..(depth - 1)) for (y in 0..(height - 1)) for (x in 0..(width - 1)) {
            val right = value(x, y - 1, z) + 2.0 * value(x, y, z) + value(x, y + 1, z) + value(x, y, z - 1);
            if (found((z * height + y) * width + x) != right) wrong++;
        }
        same("smooth", wrong);
    }

    /** From the last plane to the first, two at a time, bytes and longs; every third plane is left out. */
    static def down(p:Place, plane:Int, depth:Int) {
        val n = plane * depth;
        val bytes = CUDAUtilities.makeGlobalRail[Byte](p, n, (i:Long) => (i * 7) as Byte);
        val sums = CUDAUtilities.makeGlobalRail[Long](p, n, (i:Long) => i);
        finish async at (p) @CUDA {
            finish for (block in 0n..(plane / 64n - 1n)) async {
                val row = new Rail[Long](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    val own = block * 64n + thread;
                    var sum:Long = 0;
                    for (var z:Int = depth - 1n; z >= 0n; z -= 2n) {
                        if (z % 3n == 0n) continue;
                        val base = z * plane;
                        row(thread) = bytes(base + own) as Long;
                        Clock.advanceAll();
                        sum += row(63n - thread);
                        if (block % 2n == 0n) sums(base + own) = sum; else sums(base + own) -= sum;
                        Clock.advanceAll();
                    }
                }
            }
        }
        val found = fetch(sums, n);
        var wrong:Long = 0;
        for (own in 0..(plane - 1)) {
            val block = own / 64;
            val other = block * 64 + 63 - own % 64;
            var sum:Long = 0;
            for (var z:Long = depth - 1; z >= 0; z--) {
                val place = z * plane + own;
                var right:Long = place;
                if ((depth - 1 - z) % 2 == 0 && z % 3 != 0) {
                    sum += ((z * plane + other) * 7) as Byte as Long;
                    right = block % 2 == 0 ? sum : right - sum;
                }
                if (found(place) != right) wrong++;
            }
        }
        same("down", wrong);
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        smooth(p, WIDTH, HEIGHT, DEPTH);
        smooth(p, 16n, 8n, 1n);
        down(p, PLANE, DEPTH);
        down(p, 64n, 2n);
    }
}
