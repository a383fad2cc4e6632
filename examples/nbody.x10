import x10.compiler.CUDA;
import x10.compiler.Unroll;
import x10.util.CUDAUtilities;
import x10.util.Option;
import x10.util.OptionsParser;

/**
 * Gravity between bodies, over all accelerators of all places, or the host places themselves where there are none. Each worker has
 * the positions of all bodies and moves a share of them: every body is pulled by every other one. After each step the workers send
 * their share to the others, between accelerators of one host directly, where these can reach each other.
 *
 * Try: apg run examples/nbody.x10 -- --bodies 131072 --steps 100 --workers 2
 */
public class nbody {
    /** Threads of a block, and bodies that a block reads together. */
    static BLOCK = 256n;
    static STEP = 0.001f;
    static SOFTENING = 0.01f;

    /** A device, or a host, with its share of the bodies. */
    static class Worker(place:Place) {
        /** Of all bodies: x, y, z and mass, four numbers each. */
        val positions:GlobalRail[Float]{self.home() == this.place};
        /** Of the own ones, after the step. */
        val moved:GlobalRail[Float]{self.home() == this.place};
        val velocities:GlobalRail[Float]{self.home() == this.place};
        val first:Int;
        val count:Int;

        def this(place:Place, first:Int, count:Int, bodies:Rail[Float]) {
            property(place);
            this.first = first;
            this.count = count;
            positions = CUDAUtilities.makeGlobalRail[Float](place, bodies.size, bodies);
            moved = CUDAUtilities.makeGlobalRail[Float](place, 4 * (count as Long));
            velocities = CUDAUtilities.makeGlobalRail[Float](place, 3 * (count as Long));
        }

        def delete() {
            CUDAUtilities.deleteGlobalRail(positions);
            CUDAUtilities.deleteGlobalRail(moved);
            CUDAUtilities.deleteGlobalRail(velocities);
        }
    }

    /** Moves a worker's share; at the place's host. */
    static def step(place:Place, positions:GlobalRail[Float]{self.home() == place}, moved:GlobalRail[Float]{self.home() == place},
                    velocities:GlobalRail[Float]{self.home() == place}, all:Int, first:Int, count:Int) {
        val block = BLOCK;
        val blocks = count / BLOCK;
        val dt = STEP;
        val softening = SOFTENING;
        finish async at (place) @CUDA {
            finish for (b in 0n..(blocks - 1n)) async {
                val tile = new Rail[Float](4n * block);
                clocked finish for (t in 0n..(block - 1n)) clocked async {
                    val i = b * block + t;
                    val x = positions((first + i) * 4n);
                    val y = positions((first + i) * 4n + 1n);
                    val z = positions((first + i) * 4n + 2n);
                    var ax:Float = 0.0f;
                    var ay:Float = 0.0f;
                    var az:Float = 0.0f;
                    for (var start:Int = 0n; start < all; start += block) {
                        for (j in 0n..3n) tile(t * 4n + j) = positions((start + t) * 4n + j);
                        Clock.advanceAll();
                        @Unroll(16) for (k in 0n..(block - 1n)) {
                            val dx = tile(k * 4n) - x;
                            val dy = tile(k * 4n + 1n) - y;
                            val dz = tile(k * 4n + 2n) - z;
                            val inverse = Math.rsqrtf(dx * dx + dy * dy + dz * dz + softening);
                            val pull = tile(k * 4n + 3n) * inverse * inverse * inverse;
                            ax += dx * pull;
                            ay += dy * pull;
                            az += dz * pull;
                        }
                        Clock.advanceAll();
                    }
                    val vx = velocities(i * 3n) + dt * ax;
                    val vy = velocities(i * 3n + 1n) + dt * ay;
                    val vz = velocities(i * 3n + 2n) + dt * az;
                    velocities(i * 3n) = vx;
                    velocities(i * 3n + 1n) = vy;
                    velocities(i * 3n + 2n) = vz;
                    moved(i * 4n) = x + dt * vx;
                    moved(i * 4n + 1n) = y + dt * vy;
                    moved(i * 4n + 2n) = z + dt * vz;
                    moved(i * 4n + 3n) = positions((first + i) * 4n + 3n);
                }
            }
        }
    }

    /** Where to work: accelerators before hosts, the same number at each host before more at some. */
    static def chosen(most:Long):Rail[Place] {
        val topology = PlaceTopology.getTopology();
        val found = new x10.util.ArrayList[Place]();
        var more:Boolean = true;
        for (var index:Long = 0; more; index++) {
            more = false;
            for (host in Place.places()) {
                val accelerators = topology.numChildren(host);
                if (index < accelerators) found.add(topology.getChild(host, index));
                else if (index == 0) found.add(host);
                more = more || index + 1 < accelerators;
            }
        }
        return new Rail[Place](most > 0 && most < found.size() ? most : found.size(), (i:Long)=>found(i));
    }

    /** The speed that a body has after a step from rest, by itself and in double precision. */
    static def speed(bodies:Rail[Float], i:Long):Double {
        val pull = new Rail[Double](3);
        for (j in 0..(bodies.size / 4 - 1)) {
            val d = new Rail[Double](3, (k:Long)=>bodies(4 * j + k) as Double - bodies(4 * i + k));
            val distance = Math.sqrt(d(0) * d(0) + d(1) * d(1) + d(2) * d(2) + SOFTENING);
            for (k in 0..2) pull(k) += bodies(4 * j + 3) * d(k) / (distance * distance * distance);
        }
        return STEP * Math.sqrt(pull(0) * pull(0) + pull(1) * pull(1) + pull(2) * pull(2));
    }

    /** Compares some speeds after the first step. */
    static def check(worker:Worker, bodies:Rail[Float]) {
        val velocities = new Rail[Float](3 * (worker.count as Long));
        finish Rail.asyncCopy(worker.velocities, 0, velocities, 0, velocities.size);
        for (var i:Long = 0; i < worker.count; i += 1 + worker.count / 4) {
            var square:Double = 0.0;
            for (k in 0..2) square += velocities(3 * i + k) * velocities(3 * i + k);
            val expected = speed(bodies, worker.first + i);
            val found = Math.sqrt(square);
            if (!(Math.abs(found - expected) <= 1.0E-3 * expected)) {
                throw new Exception("body " + (worker.first + i) + " has speed " + found + ", not " + expected);
            }
        }
    }

    public static def main(args:Rail[String]) {
        val options = new OptionsParser(args, new Rail[Option](0), [
            Option("b", "bodies", "number of bodies (8192); a multiple of 256 for each worker is made of it"),
            Option("s", "steps", "number of steps (10)"),
            Option("w", "workers", "most accelerators to use (all)")
        ]);
        val steps = options("-s", 10);
        val places = chosen(options("-w", 0));
        val share = Math.max(1, options("-b", 8192) / (places.size * BLOCK)) * BLOCK;
        val n = share * places.size;
        val bodies = new Rail[Float](4 * n, (i:Long)=>i % 4 == 3 ? 1.0f / n : ((i * 7919 + i / 4 * 104729) % 10007) as Float / 10007.0f);
        val workers = new Rail[Worker](places.size, (w:Long)=>new Worker(places(w), (share * w) as Int, share as Int, bodies));

        advance(workers, n as Int);
        finish for (worker in workers) async check(worker, bodies);
        val start = System.nanoTime();
        for (i in 2..steps) advance(workers, n as Int);
        val seconds = (System.nanoTime() - start) / 1.0E9;
        for (worker in workers) worker.delete();

        Console.OUT.println(n + " bodies, " + places.size + " worker" + (places.size == 1 ? "" : "s") + " (" + places(0)
            + (places(0).isCUDA() ? ", GPU" : ", CPU") + (places.size > 1 ? ", ..." : "") + "), " + steps + " steps: speeds are right");
        if (steps > 1) Console.OUT.printf("%.3f ms a step, %.1f billion pairs a second\n", 1.0E3 * seconds / (steps - 1),
            (steps - 1) * (n as Double) * n / seconds / 1.0E9);
    }

    /** One step of all bodies. */
    static def advance(workers:Rail[Worker], n:Int) {
        finish for (worker in workers) {
            val place = worker.place;
            val positions = worker.positions;
            val moved = worker.moved;
            val velocities = worker.velocities;
            val first = worker.first;
            val count = worker.count;
            at (place.host()) async step(place, positions, moved, velocities, n, first, count);
        }
        finish for (from in workers) for (to in workers) {
            Rail.asyncCopy(from.moved, 0, to.positions, 4 * (from.first as Long), 4 * (from.count as Long));
        }
    }
}
