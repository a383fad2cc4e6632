import x10.compiler.*;
import x10.util.*;

/**
 * Bodies that attract each other, shared among slots: in each step one slot after the other broadcasts its bodies, and all others add the forces
 * of these to theirs. The slots are blocks of kernels at an accelerator of each place, or at the places themselves where they have
 * none. The result is that of one activity that does all of it, but for the rounding of fused operations.
 *
 * apg run nbody_slots.x10 [-- BODIES_OF_A_SLOT STEPS]
 */
public class NBodySlots {
    static SLOTS = 8n;
    static THREADS = 64n;

    public static def main(args:Rail[String]) {
        val each = args.size > 0 ? Long.parse(args(0)) : 64;
        val steps = args.size > 1 ? Long.parse(args(1)) : 5;
        val places = Place.numPlaces();
        if (SLOTS % places != 0) throw new IllegalArgumentException(SLOTS + " slots are divided among places: 1, 2, 4 or 8");
        val group = SlotGroup.make(new Rail[SlotsAt](places, (i:Long)=>SlotsAt(SlotGroup.kernelPlaces(Place(i))(0), 0, SLOTS / places)));
        val expected = alone(SLOTS * each, steps);
        finish for (p in Place.places()) at (p) async {
            val found = simulate(group, each, steps);
            val first = 3 * each * group.blocks(SlotGroup.kernelPlaces(here)(0)).firstRank();
            for (i in found.range) {
                if (Math.abs(found(i) - expected(first + i)) > 1e-9) throw new AssertionError("number " + (first + i) + " is " + found(i) + " instead of " + expected(first + i));
            }
        }
        Console.OUT.println(SLOTS * each + " bodies, " + steps + " steps on " + SLOTS + " slots");
        group.delete();
    }

    static def start(i:Long):Double = ((i * 7919) % 1009) / 1009.0;

    /** The bodies of this place after some steps. */
    static def simulate(group:SlotGroup, each:Long, steps:Long):Rail[Double] {
        val place = SlotGroup.kernelPlaces(here)(0);
        val slots = group.blocks(place);
        val all = group.size;
        val n = 3 * each;
        val first = slots.firstRank();
        val blocks = slots.count as Int;
        val initial = new Rail[Double](blocks * n, (i:Long)=>start(first * n + i));
        val position = GlobalRail.allocate[Double](place, blocks * n);
        val velocity = GlobalRail.allocate[Double](place, blocks * n);
        val force = GlobalRail.allocate[Double](place, blocks * n);
        val others = GlobalRail.allocate[Double](place, blocks * n);
        finish Rail.asyncCopy(initial, 0, position, 0, initial.size);
        finish async at (place) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                    val me = slots(block);
                    val own = block * n;
                    for (var step:Long = 0; step < steps; ++step) {
                        for (var i:Long = thread; i < n; i += THREADS) force(own + i) = 0.0;
                        for (var root:Long = 0; root < all; ++root) {
                            if (root == me.rank) for (var i:Long = thread; i < n; i += THREADS) others(own + i) = position(own + i);
                            me.broadcast(root, others, own, n);
                            for (var body:Long = thread; body < each; body += THREADS) {
                                var x:Double = force(own + 3 * body);
                                var y:Double = force(own + 3 * body + 1);
                                var z:Double = force(own + 3 * body + 2);
                                for (var other:Long = 0; other < each; ++other) {
                                    val dx = others(own + 3 * other) - position(own + 3 * body);
                                    val dy = others(own + 3 * other + 1) - position(own + 3 * body + 1);
                                    val dz = others(own + 3 * other + 2) - position(own + 3 * body + 2);
                                    val distance = dx * dx + dy * dy + dz * dz + 0.01;
                                    x += dx / distance;
                                    y += dy / distance;
                                    z += dz / distance;
                                }
                                force(own + 3 * body) = x;
                                force(own + 3 * body + 1) = y;
                                force(own + 3 * body + 2) = z;
                            }
                            // Positions and the bodies of others stay until all threads have read them.
                            Clock.advanceAll();
                        }
                        for (var i:Long = thread; i < n; i += THREADS) {
                            velocity(own + i) = velocity(own + i) + 0.0001 * force(own + i);
                            position(own + i) = position(own + i) + velocity(own + i);
                        }
                    }
                }
            }
        }
        val result = new Rail[Double](blocks * n);
        finish Rail.asyncCopy(position, 0, result, 0, result.size);
        position.free();
        velocity.free();
        force.free();
        others.free();
        return result;
    }

    /** All bodies by one activity, with sums in the same order. */
    static def alone(bodies:Long, steps:Long):Rail[Double] {
        val position = new Rail[Double](3 * bodies, (i:Long)=>start(i));
        val velocity = new Rail[Double](3 * bodies);
        val force = new Rail[Double](3 * bodies);
        for (step in 1..steps) {
            for (body in 0..(bodies - 1)) {
                var x:Double = 0.0;
                var y:Double = 0.0;
                var z:Double = 0.0;
                for (other in 0..(bodies - 1)) {
                    val dx = position(3 * other) - position(3 * body);
                    val dy = position(3 * other + 1) - position(3 * body + 1);
                    val dz = position(3 * other + 2) - position(3 * body + 2);
                    val distance = dx * dx + dy * dy + dz * dz + 0.01;
                    x += dx / distance;
                    y += dy / distance;
                    z += dz / distance;
                }
                force(3 * body) = x;
                force(3 * body + 1) = y;
                force(3 * body + 2) = z;
            }
            for (i in position.range) {
                velocity(i) += 0.0001 * force(i);
                position(i) += velocity(i);
            }
        }
        return position;
    }
}
