import x10.compiler.CUDA;
import x10.compiler.Unroll;
import x10.compiler.StackAllocate;
import x10.util.ArrayList;
import x10.util.CUDABlock;
import x10.util.CUDAGrid;
import x10.util.CUDAUtilities;

/**
 * Kernels beside those of cuda/kernels.cu, the same algorithms and launches: medians of 20 launches and waits, in milliseconds, and a
 * sum over the results. Argument: small, to try it, or cpu, to measure it on a CPU.
 */
public class kernels {
    static def rail(p:Place, n:Long, seed:Long) = CUDAUtilities.makeGlobalRail[Float](p, n, new Rail[Float](n, (i:Long)=>((i * seed) % 1000) as Float * 0.001f));

    static def sum(remote:GlobalRail[Float]):Double {
        val rail = new Rail[Float](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        var all:Double = 0.0;
        for (value in rail) all += value;
        return all;
    }

    static def measure(name:String, result:GlobalRail[Float], run:()=>void) {
        for (i in 1..3) run();
        val times = new ArrayList[Long]();
        for (i in 1..20) {
            val start = System.nanoTime();
            run();
            times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("%s: median %.4f ms, sum %.6e\n", name, times(10) / 1.0E6, sum(result));
    }

    /** A stencil of radius 4 in three dimensions: planes go through registers, a tile through shared memory. */
    static def stencil(p:Place, nx:Int, ny:Int, nz:Int, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}, weights:Rail[Float]) {
        val plane = nx * ny;
        finish async at (p) @CUDA {
            val w = CUDAConstantRail(weights);
            finish for ([gy, gx] in (0n..(ny / 16n - 1n)) * (0n..(nx / 16n - 1n))) async {
                val tile = new Rail[Float](24 * 24, 0.0f);
                clocked finish for ([sy, sx] in (0n..15n) * (0n..15n)) clocked async {
                    val ty = sy as Int;
                    val tx = sx as Int;
                    val x = (gx as Int) * 16n + tx;
                    val y = (gy as Int) * 16n + ty;
                    var next:Int = y * nx + x;
                    var behind3:Float = from(next); next += plane;
                    var behind2:Float = from(next); next += plane;
                    var behind1:Float = from(next); next += plane;
                    var current:Float = from(next); next += plane;
                    var front1:Float = from(next); next += plane;
                    var front2:Float = from(next); next += plane;
                    var front3:Float = from(next); next += plane;
                    var front4:Float = from(next); next += plane;
                    var behind4:Float = 0.0f;
                    val inside = x >= 4n && x < nx - 4n && y >= 4n && y < ny - 4n;
                    for (var z:Int = 4n; z < nz - 4n; z++) {
                        behind4 = behind3; behind3 = behind2; behind2 = behind1; behind1 = current;
                        current = front1; front1 = front2; front2 = front3; front3 = front4;
                        front4 = from(next); next += plane;
                        Clock.advanceAll();
                        if (ty < 4n) {
                            if (y >= 4n) tile(ty * 24n + tx + 4n) = from((z * ny + y - 4n) * nx + x);
                            if (y + 16n < ny) tile((ty + 20n) * 24n + tx + 4n) = from((z * ny + y + 16n) * nx + x);
                        }
                        if (tx < 4n) {
                            if (x >= 4n) tile((ty + 4n) * 24n + tx) = from((z * ny + y) * nx + x - 4n);
                            if (x + 16n < nx) tile((ty + 4n) * 24n + tx + 20n) = from((z * ny + y) * nx + x + 16n);
                        }
                        tile((ty + 4n) * 24n + tx + 4n) = current;
                        Clock.advanceAll();
                        val c = (ty + 4n) * 24n + tx + 4n;
                        val value = w(0) * current
                            + w(1) * (front1 + behind1 + tile(c - 1n) + tile(c + 1n) + tile(c - 24n) + tile(c + 24n))
                            + w(2) * (front2 + behind2 + tile(c - 2n) + tile(c + 2n) + tile(c - 48n) + tile(c + 48n))
                            + w(3) * (front3 + behind3 + tile(c - 3n) + tile(c + 3n) + tile(c - 72n) + tile(c + 72n))
                            + w(4) * (front4 + behind4 + tile(c - 4n) + tile(c + 4n) + tile(c - 96n) + tile(c + 96n));
                        if (inside) to((z * ny + y) * nx + x) = value;
                    }
                }
            }
        }
    }

    /** Column-major matrices: 64 threads compute a tile of 64 by 16, of B through shared memory. */
    static def multiply(p:Place, n:Int, a:GlobalRail[Float]{home==p}, b:GlobalRail[Float]{home==p}, c:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([gy, gx] in (0n..(n / 16n - 1n)) * (0n..(n / 64n - 1n))) async {
                val tile = new Rail[Float](16 * 17, 0.0f);
                clocked finish for ([sy, sx] in (0n..3n) * (0n..15n)) clocked async {
                    val bx = gx as Int;
                    val by = gy as Int;
                    val tx = sx as Int;
                    val ty = sy as Int;
                    @StackAllocate val sums = new Rail[Float](16);
                    val row = bx * 64n + ty * 16n + tx;
                    for (var k:Int = 0n; k < n; k += 16n) {
                        @Unroll(4) for (i in 0n..3n) tile(tx * 17n + ty + 4n * i) = b((by * 16n + ty + 4n * i) * n + k + tx);
                        Clock.advanceAll();
                        @Unroll(16) for (i in 0n..15n) {
                            val left = a((k + i) * n + row);
                            @Unroll(16) for (j in 0n..15n) sums(j) = sums(j) + left * tile(i * 17n + j);
                        }
                        Clock.advanceAll();
                    }
                    @Unroll(16) for (j in 0n..15n) c((by * 16n + j) * n + row) = sums(j);
                }
            }
        }
    }

    /** The nearest of the centres, for points of four coordinates. */
    static def nearest(p:Place, n:Int, count:Int, points:GlobalRail[Float]{home==p}, centres:Rail[Float], to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
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

    /** Accelerations by gravity: tiles of 256 bodies through shared memory. */
    static def gravity(p:Place, n:Int, bodies:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(n / 256n - 1n)) async {
                val tile = new Rail[Float](4 * 256, 0.0f);
                clocked finish for (thread in 0n..255n) clocked async {
                    val i = block * 256n + thread;
                    val x = bodies(i * 4n);
                    val y = bodies(i * 4n + 1n);
                    val z = bodies(i * 4n + 2n);
                    var ax:Float = 0.0f;
                    var ay:Float = 0.0f;
                    var az:Float = 0.0f;
                    for (var first:Int = 0n; first < n; first += 256n) {
                        for (j in 0n..3n) tile(thread * 4n + j) = bodies((first + thread) * 4n + j);
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

    /** The sum of each block's share of the elements. */
    static def sums(p:Place, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        val n = from.size;
        val blocks = to.size as Int;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..511n) clocked async {
                    var sum:Float = 0.0f;
                    for (var i:Long = CUDAGrid.index(); i < n; i += CUDAGrid.size()) sum += from(i);
                    val all = CUDABlock.sum(sum);
                    if (thread == 0n) to(block) = all;
                }
            }
        }
    }

    public static def main(args:Rail[String]) {
        val small = args.size > 0 && args(0).equals("small");
        val cpu = args.size > 0 && args(0).equals("cpu");
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val side = small ? 48n : cpu ? 240n : 480n;
        val depth = small ? 20n : cpu ? 100n : 400n;
        val cells = (side as Long) * side * depth;
        val grid = rail(p, cells, 31);
        val out = CUDAUtilities.makeGlobalRail[Float](p, cells);
        val weights = new Rail[Float](5, (i:Long)=>1.0f / (1.0f + i));
        measure("stencil " + side + "x" + side + "x" + depth, out, ()=>{ stencil(p, side, side, depth, grid, out, weights); });
        CUDAUtilities.deleteGlobalRail(grid);
        CUDAUtilities.deleteGlobalRail(out);

        val n = small ? 128n : cpu ? 1024n : 4096n;
        val a = rail(p, (n as Long) * n, 31);
        val b = rail(p, (n as Long) * n, 17);
        val c = CUDAUtilities.makeGlobalRail[Float](p, (n as Long) * n);
        measure("sgemm " + n, c, ()=>{ multiply(p, n, a, b, c); });
        CUDAUtilities.deleteGlobalRail(a);
        CUDAUtilities.deleteGlobalRail(b);
        CUDAUtilities.deleteGlobalRail(c);

        for (count in [100n, 400n]) for (size in [2000000n, 4000000n]) {
            val m = small ? size / 1000n : cpu ? 200000n : size;
            if (cpu && size == 4000000n) continue;
            val points = rail(p, 4 * (m as Long), 7919);
            val labels = CUDAUtilities.makeGlobalRail[Float](p, m);
            val centres = new Rail[Float](4 * count, (i:Long)=>((i * 613) % 1000) as Float * 0.001f);
            measure("nearest of " + count + ", " + m + " points", labels, ()=>{ nearest(p, m, count, points, centres, labels); });
            CUDAUtilities.deleteGlobalRail(points);
            CUDAUtilities.deleteGlobalRail(labels);
        }

        val m = small ? 1024n : cpu ? 16384n : 131072n;
        val bodies = rail(p, 4 * (m as Long), 7919);
        val pulls = CUDAUtilities.makeGlobalRail[Float](p, 3 * (m as Long));
        measure("gravity " + m, pulls, ()=>{ gravity(p, m, bodies, pulls); });
        CUDAUtilities.deleteGlobalRail(bodies);
        CUDAUtilities.deleteGlobalRail(pulls);

        val many = small ? 100000 : cpu ? 1 << 24 : 1 << 28;
        val values = rail(p, many, 31);
        val parts = CUDAUtilities.makeGlobalRail[Float](p, small ? 4 : 528);
        measure("sums of " + many, parts, ()=>{ sums(p, values, parts); });
        CUDAUtilities.deleteGlobalRail(values);
        CUDAUtilities.deleteGlobalRail(parts);
    }
}
