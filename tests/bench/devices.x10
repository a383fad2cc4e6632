import x10.compiler.CUDA;
import x10.compiler.Unroll;
import x10.util.ArrayList;
import x10.util.CUDAUtilities;

/**
 * The same work on one accelerator and on more, each with its share: gravity between 131,072 and 524,288 bodies, and the nearest of 400 centres for
 * 16 million points; and copies from one accelerator to the next. Medians of 20. Argument: small, to try it.
 */
public class devices {
    static def places():Rail[Place] {
        val topology = PlaceTopology.getTopology();
        val count = topology.numChildren(here);
        return count > 0 ? new Rail[Place](count, (i:Long)=>topology.getChild(here, i)) : [here as Place, here];
    }

    static def measure(name:String, run:()=>void):Double {
        for (i in 1..3) run();
        val times = new ArrayList[Long]();
        for (i in 1..20) {
            val start = System.nanoTime();
            run();
            times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("%s: median %.4f ms\n", name, times(10) / 1.0E6);
        return times(10) / 1.0E6;
    }

    /** The share of one device of the accelerations of all bodies. */
    static class Bodies(p:Place) {
        val all:GlobalRail[Float]{self.home() == this.p};
        val pulls:GlobalRail[Float]{self.home() == this.p};
        val n:Int;
        val first:Int;
        val blocks:Int;
        def this(p:Place, values:Rail[Float], first:Int, count:Int) {
            property(p);
            all = CUDAUtilities.makeGlobalRail[Float](p, values.size, values);
            pulls = CUDAUtilities.makeGlobalRail[Float](p, 3 * (count as Long));
            n = (values.size / 4) as Int;
            this.first = first;
            blocks = count / 256n;
        }
        def delete() {
            CUDAUtilities.deleteGlobalRail(all);
            CUDAUtilities.deleteGlobalRail(pulls);
        }
        /** Starts the kernel; the finish around waits for it. */
        def run() {
            val bodies = all;
            val to = pulls;
            val n = this.n;
            val first = this.first;
            val blocks = this.blocks;
            async at (p) @CUDA {
                finish for (block in 0n..(blocks - 1n)) async {
                    val tile = new Rail[Float](4 * 256, 0.0f);
                    clocked finish for (thread in 0n..255n) clocked async {
                        val i = block * 256n + thread;
                        val x = bodies((first + i) * 4n);
                        val y = bodies((first + i) * 4n + 1n);
                        val z = bodies((first + i) * 4n + 2n);
                        var ax:Float = 0.0f;
                        var ay:Float = 0.0f;
                        var az:Float = 0.0f;
                        for (var start:Int = 0n; start < n; start += 256n) {
                            for (j in 0n..3n) tile(thread * 4n + j) = bodies((start + thread) * 4n + j);
                            Clock.advanceAll();
                            @Unroll(16) for (k in 0n..255n) {
                                val dx = tile(k * 4n) - x;
                                val dy = tile(k * 4n + 1n) - y;
                                val dz = tile(k * 4n + 2n) - z;
                                val d2 = dx * dx + dy * dy + dz * dz + 0.01f;
                                val inverse = Math.rsqrtf(d2);
                                val force = tile(k * 4n + 3n) * inverse * inverse * inverse;
                                ax += dx * force;
                                ay += dy * force;
                                az += dz * force;
                            }
                            Clock.advanceAll();
                        }
                        to(i * 3n) = ax;
                        to(i * 3n + 1n) = ay;
                        to(i * 3n + 2n) = az;
                    }
                }
            }
        }
    }

    /** The share of one device of the points. */
    static class Points(p:Place) {
        val points:GlobalRail[Float]{self.home() == this.p};
        val labels:GlobalRail[Float]{self.home() == this.p};
        val n:Int;
        def this(p:Place, n:Int) {
            property(p);
            points = CUDAUtilities.makeGlobalRail[Float](p, 4 * (n as Long), new Rail[Float](4 * (n as Long), (i:Long)=>((i * 7919) % 1000) as Float * 0.001f));
            labels = CUDAUtilities.makeGlobalRail[Float](p, n);
            this.n = n;
        }
        def delete() {
            CUDAUtilities.deleteGlobalRail(points);
            CUDAUtilities.deleteGlobalRail(labels);
        }
        def run(centres:Rail[Float]) {
            val points = this.points;
            val to = labels;
            val n = this.n;
            val count = (centres.size / 4) as Int;
            async at (p) @CUDA {
                val blocks = CUDAUtilities.autoBlocks();
                finish for (block in 0n..(blocks - 1n)) async {
                    val cache = new Rail[Float](centres);
                    clocked finish for (thread in 0n..255n) clocked async {
                        for (var i:Int = block * 256n + thread; i < n; i += blocks * 256n) {
                            val x = points(i);
                            val y = points(i + n);
                            val z = points(i + 2n * n);
                            val u = points(i + 3n * n);
                            var best:Int = 0n;
                            var least:Float = Float.MAX_VALUE;
                            for (k in 0n..(count - 1n)) {
                                val dx = x - cache(k * 4n);
                                val dy = y - cache(k * 4n + 1n);
                                val dz = z - cache(k * 4n + 2n);
                                val du = u - cache(k * 4n + 3n);
                                val distance = dx * dx + dy * dy + dz * dz + du * du;
                                if (distance < least) { least = distance; best = k; }
                            }
                            to(i) = best as Float;
                        }
                    }
                }
            }
        }
    }

    static def copies(from:Place, to:Place, n:Long) {
        val a = CUDAUtilities.makeGlobalRail[Long](from, n, (i:Long)=>i);
        val b = CUDAUtilities.makeGlobalRail[Long](to, n);
        val took = measure("copy from " + from + " to " + to, ()=>{ finish Rail.asyncCopy(a, 0, b, 0, n); });
        Console.OUT.printf("    %.1f GB/s\n", n * 8 / took / 1.0E6);
        val back = new Rail[Long](n);
        finish Rail.asyncCopy(b, 0, back, 0, n);
        for (i in 0..(n - 1)) if (back(i) != i) throw new Exception("element " + i + " is " + back(i));
        CUDAUtilities.deleteGlobalRail(a);
        CUDAUtilities.deleteGlobalRail(b);
    }

    public static def main(args:Rail[String]) {
        val small = args.size > 0;
        val all = places();
        val centres = new Rail[Float](4 * 400, (i:Long)=>((i * 613) % 1000) as Float * 0.001f);
        var one:Double = 0.0;
        for (n in small ? [1024n, 2048n] : [131072n, 524288n]) {
            val values = new Rail[Float](4 * (n as Long), (i:Long)=>((i * 7919) % 1000) as Float * 0.001f);
            for (var count:Long = 1; count <= all.size; count *= 2) {
                val share = n / (count as Int);
                val parts = new Rail[Bodies](count, (i:Long)=>new Bodies(all(i), values, share * (i as Int), share));
                val took = measure("gravity " + n + " on " + count, ()=>{ finish for (part in parts) part.run(); });
                if (count == 1) one = took;
                Console.OUT.printf("    efficiency %.2f\n", one / took / count);
                for (part in parts) part.delete();
            }
        }
        val m = small ? 4000n : 16000000n;
        for (var count:Long = 1; count <= all.size; count *= 2) {
            val share = m / (count as Int);
            val parts = new Rail[Points](count, (i:Long)=>new Points(all(i), share));
            val took = measure("nearest of 400, " + m + " points on " + count, ()=>{ finish for (part in parts) part.run(centres); });
            if (count == 1) one = took;
            Console.OUT.printf("    efficiency %.2f\n", one / took / count);
            for (part in parts) part.delete();
        }
        if (all.size > 1) copies(all(0), all(1), small ? 1000 : 1 << 27);
    }
}
