import x10.compiler.CUDA;
import x10.util.CUDAUtilities;
import x10.util.LiveView;
import x10.util.Option;
import x10.util.OptionsParser;
import x10.util.Random;

/**
 * Lloyd's algorithm in a browser: points in their cluster's colour, and the clusters as they move. The nearest cluster of each
 * point is found by a kernel, on a GPU if there is one, else on the CPU.
 *
 * Try: apg run examples/kmeans_live.x10, and open the address that it prints.
 */
public class kmeans_live {
    static WIDTH = 800;
    static HEIGHT = 600;

    /** Numbers of points around centres, in the order of their coordinates. */
    static class Points(count:Long) {
        val xs:Rail[Float];
        val ys:Rail[Float];

        def this(count:Long, groups:Long, seed:Long) {
            property(count);
            val random = new Random(seed);
            xs = new Rail[Float](count);
            ys = new Rail[Float](count);
            for (g in 0..(groups - 1)) {
                val x = 100 + random.nextFloat() * (WIDTH - 200);
                val y = 80 + random.nextFloat() * (HEIGHT - 160);
                for (var i:Long = g; i < count; i += groups) {
                    // About normal: the sum of four uniform numbers.
                    xs(i) = x + spread(random);
                    ys(i) = y + spread(random);
                }
            }
        }
        static def spread(random:Random) =
            (random.nextFloat() + random.nextFloat() + random.nextFloat() + random.nextFloat() - 2.0f) * 60.0f;
    }

    /** Stores the nearest cluster of each point. */
    static def classify(p:Place, points:Points, clusterX:Rail[Float], clusterY:Rail[Float], nearest:Rail[Int]) {
        val n = points.count;
        val xs = points.xs;
        val ys = points.ys;
        val k = clusterX.size as Int;
        val result = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            val threads = CUDAUtilities.autoThreads();
            finish for (block in 0n..(blocks - 1n)) async {
                val cx = new Rail[Float](clusterX);
                val cy = new Rail[Float](clusterY);
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    for (var i:Long = block * threads + thread; i < n; i += blocks * threads) {
                        var best:Int = 0n;
                        var least:Float = Float.MAX_VALUE;
                        for (c in 0n..(k - 1n)) {
                            val dx = xs(i) - cx(c);
                            val dy = ys(i) - cy(c);
                            val distance = dx * dx + dy * dy;
                            if (distance < least) { least = distance; best = c; }
                        }
                        result(i) = best;
                    }
                }
            }
        }
        finish Rail.asyncCopy(result, 0, nearest, 0, n);
        CUDAUtilities.deleteGlobalRail(result);
    }

    /** Moves each cluster to the middle of its points; the farthest way that one has moved. */
    static def move(points:Points, nearest:Rail[Int], clusterX:Rail[Float], clusterY:Rail[Float]):Float {
        var farthest:Float = 0.0f;
        val k = clusterX.size;
        val sumX = new Rail[Double](k);
        val sumY = new Rail[Double](k);
        val counts = new Rail[Long](k);
        for (i in 0..(points.count - 1)) {
            val c = nearest(i);
            sumX(c) += points.xs(i);
            sumY(c) += points.ys(i);
            counts(c)++;
        }
        for (c in 0..(k - 1)) if (counts(c) > 0) {
            val x = (sumX(c) / counts(c)) as Float;
            val y = (sumY(c) / counts(c)) as Float;
            farthest = Math.max(farthest, Math.abs(x - clusterX(c)) + Math.abs(y - clusterY(c)));
            clusterX(c) = x;
            clusterY(c) = y;
        }
        return farthest;
    }

    public static def main(args:Rail[String]) {
        val options = new OptionsParser(args, new Rail[Option](0), [
            Option("p", "points", "number of points (4000)"),
            Option("k", "clusters", "number of clusters (9)"),
            Option("d", "delay", "milliseconds between two frames (400)"),
            Option("w", "wait", "seconds to wait for a page (60)"),
            Option("", "port", "port of the page (any)")
        ]);
        val points = new Points(options("-p", 4000), options("-k", 9), 7);
        val k = options("-k", 9);
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        // The first clusters are some of the points.
        val random = new Random(3);
        val first = new Rail[Long](k, (Long)=>random.nextLong(points.count));
        val clusterX = new Rail[Float](k, (c:Long)=>points.xs(first(c)));
        val clusterY = new Rail[Float](k, (c:Long)=>points.ys(first(c)));
        val nearest = new Rail[Int](points.count);

        val view = new LiveView("k-means at " + p + (p.isCUDA() ? " (GPU)" : " (CPU)"), WIDTH, HEIGHT, options("--port", 0n));
        Console.OUT.println("open " + view.url());
        Console.OUT.flush();
        if (!view.waitForViewer(options("-w", 60) * 1000)) Console.OUT.println("nobody looks: going on");
        var iteration:Long = 0;
        for (var moved:Float = 1.0f; moved > 0.01f && iteration < 100; ) {
            classify(p, points, clusterX, clusterY, nearest);
            iteration++;
            view.caption("iteration " + iteration);
            view.points(points.xs, points.ys, nearest, 3.0f);
            for (c in 0..(k - 1)) view.circle(clusterX(c), clusterY(c), 9.0f, c as Int);
            view.show();
            moved = move(points, nearest, clusterX, clusterY);
            if (view.isWatched()) System.sleep(options("-d", 400));
        }
        view.close();
        Console.OUT.println("clusters rest after " + iteration + " iterations");
    }
}
