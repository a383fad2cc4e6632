import x10.compiler.*;
import x10.util.*;

/**
 * Programs with slots beside the same algorithms split over kernels by hand, where a kernel ends at each exchange: Cannon's product of matrices,
 * bodies that attract each other, and the Mandelbrot set. Results are compared.
 *
 * apg run slot_applications.x10 --accels 0 [-- SIDE TILE EACH STEPS WIDTH]
 */
public class slot_applications {
    static THREADS = 256n;
    static LIMIT = 2000n;
    static ROWS = 4;

    public static def main(args:Rail[String]) {
        val number = (i:Long, otherwise:Long) => args.size > i ? Long.parse(args(i)) : otherwise;
        cannon(number(0, 8) as Int, number(1, 128));
        bodies((number(0, 8) * number(0, 8)) as Int, number(2, 512), number(3, 4));
        mandelbrot(number(4, 4096));
    }

    /** Seconds of the second of two runs. */
    static def time(run:()=>void):Double {
        run();
        val begun = System.nanoTime();
        run();
        return (System.nanoTime() - begun) / 1e9;
    }

    static def report(name:String, slots:Double, kernels:Double) {
        Console.OUT.println(name + ": " + 1e3 * slots + " ms with slots, " + 1e3 * kernels + " ms split over kernels, " + (100 * kernels / slots) + " % of its speed");
    }

    static def same(name:String, left:GlobalRail[Double], right:GlobalRail[Double], size:Long) {
        val first = new Rail[Double](size);
        val second = new Rail[Double](size);
        finish { Rail.asyncCopy(left, 0, first, 0, size); Rail.asyncCopy(right, 0, second, 0, size); }
        for (i in first.range) if (first(i) != second(i)) throw new AssertionError(name + ": number " + i + " is " + first(i) + " and " + second(i));
    }

    /** The product of a row of one tile with a column of another. */
    @CUDA static def multiply(left:GlobalRail[Double], right:GlobalRail[Double], base:Long, e:Long, n:Long):Double {
        var sum:Double = 0.0;
        for (var k:Long = 0; k < n; ++k) sum += left(base + e / n * n + k) * right(base + k * n + e % n);
        return sum;
    }

    static def cannon(q:Int, n:Long) {
        val place = SlotGroup.kernelPlaces(here)(0);
        val blocks = q * q;
        val size = n * n;
        val group = SlotGroup.make([SlotsAt(place, 0, blocks as Long)]);
        val slots = group.blocks(place);
        val tiles = new Rail[Double](blocks * size, (i:Long)=>(i % 13) - 6.0);
        val left = GlobalRail.allocate[Double](place, blocks * size);
        val right = GlobalRail.allocate[Double](place, blocks * size);
        val left2 = GlobalRail.allocate[Double](place, blocks * size);
        val right2 = GlobalRail.allocate[Double](place, blocks * size);
        val product = GlobalRail.allocate[Double](place, blocks * size);
        val product2 = GlobalRail.allocate[Double](place, blocks * size);
        val start = () => { finish { Rail.asyncCopy(tiles, 0, left, 0, tiles.size); Rail.asyncCopy(tiles, 0, right, 0, tiles.size); } };
        val withSlots = () => {
            finish async at (place) @CUDA {
                finish for (block in 0n..(blocks - 1n)) async {
                    clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                        val me = slots(block);
                        val i = block / q;
                        val j = block % q;
                        val base = block * size;
                        for (var step:Int = 0n; step < q; ++step) {
                            for (var e:Long = thread; e < size; e += THREADS) {
                                val before = step == 0n ? 0.0 : product(base + e);
                                product(base + e) = before + multiply(left, right, base, e, n);
                            }
                            me.sendRecvReplace(i * q + (j + q - 1) % q, i * q + (j + 1) % q, left, base, size);
                            me.sendRecvReplace((i + q - 1) % q * q + j, (i + 1) % q * q + j, right, base, size);
                        }
                    }
                }
            }
        };
        val split = () => {
            for (step in 0n..(q - 1n)) {
                val even = step % 2n == 0n;
                val l = even ? left : left2;
                val r = even ? right : right2;
                val nextL = even ? left2 : left;
                val nextR = even ? right2 : right;
                finish async at (place) @CUDA {
                    finish for (block in 0n..(blocks - 1n)) async {
                        clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                            val base = block * size;
                            for (var e:Long = thread; e < size; e += THREADS) {
                                val before = step == 0n ? 0.0 : product2(base + e);
                                product2(base + e) = before + multiply(l, r, base, e, n);
                            }
                        }
                    }
                }
                finish async at (place) @CUDA {
                    finish for (block in 0n..(blocks - 1n)) async {
                        clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                            val i = block / q;
                            val j = block % q;
                            val fromLeft = (i * q + (j + 1n) % q) * size;
                            val fromRight = ((i + 1n) % q * q + j) * size;
                            for (var e:Long = thread; e < size; e += THREADS) {
                                nextL(block * size + e) = l(fromLeft + e);
                                nextR(block * size + e) = r(fromRight + e);
                            }
                        }
                    }
                }
            }
        };
        start();
        withSlots();
        val slotTime = time(withSlots);
        start();
        split();
        val splitTime = time(split);
        start();
        withSlots();
        start();
        split();
        same("Cannon", product, product2, blocks * size);
        report("Cannon's product, " + q * n + " x " + q * n + " on " + blocks + " blocks", slotTime, splitTime);
        for (rail in [left, right, left2, right2, product, product2]) rail.free();
        group.delete();
    }

    /** One coordinate of the force on a body of the tile at `base` by the bodies of the tile at `from`. */
    @CUDA static def attract(position:GlobalRail[Double], base:Long, body:Long, others:GlobalRail[Double], from:Long, each:Long, force:GlobalRail[Double]):void {
        var x:Double = force(base + 3 * body);
        var y:Double = force(base + 3 * body + 1);
        var z:Double = force(base + 3 * body + 2);
        for (var other:Long = 0; other < each; ++other) {
            val dx = others(from + 3 * other) - position(base + 3 * body);
            val dy = others(from + 3 * other + 1) - position(base + 3 * body + 1);
            val dz = others(from + 3 * other + 2) - position(base + 3 * body + 2);
            val distance = dx * dx + dy * dy + dz * dz + 0.01;
            x += dx / distance;
            y += dy / distance;
            z += dz / distance;
        }
        force(base + 3 * body) = x;
        force(base + 3 * body + 1) = y;
        force(base + 3 * body + 2) = z;
    }

    static def bodies(blocks:Int, each:Long, steps:Long) {
        val place = SlotGroup.kernelPlaces(here)(0);
        val n = 3 * each;
        val group = SlotGroup.make([SlotsAt(place, 0, blocks as Long)]);
        val slots = group.blocks(place);
        val initial = new Rail[Double](blocks * n, (i:Long)=>((i * 7919) % 1009) / 1009.0);
        val position = GlobalRail.allocate[Double](place, blocks * n);
        val others = GlobalRail.allocate[Double](place, blocks * n);
        val force = GlobalRail.allocate[Double](place, blocks * n);
        val position2 = GlobalRail.allocate[Double](place, blocks * n);
        val others2 = GlobalRail.allocate[Double](place, blocks * n);
        val force2 = GlobalRail.allocate[Double](place, blocks * n);
        val start = () => { finish { Rail.asyncCopy(initial, 0, position, 0, initial.size); Rail.asyncCopy(initial, 0, position2, 0, initial.size); } };
        val withSlots = () => {
            finish async at (place) @CUDA {
                finish for (block in 0n..(blocks - 1n)) async {
                    clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                        val me = slots(block);
                        val base = block * n;
                        for (var step:Long = 0; step < steps; ++step) {
                            for (var i:Long = thread; i < n; i += THREADS) force(base + i) = 0.0;
                            for (var root:Long = 0; root < blocks; ++root) {
                                if (root == me.rank) for (var i:Long = thread; i < n; i += THREADS) others(base + i) = position(base + i);
                                me.broadcast(root, others, base, n);
                                for (var body:Long = thread; body < each; body += THREADS) attract(position, base, body, others, base, each, force);
                                Clock.advanceAll();
                            }
                            for (var i:Long = thread; i < n; i += THREADS) position(base + i) = position(base + i) + 0.0001 * force(base + i);
                        }
                    }
                }
            }
        };
        val split = () => {
            for (step in 1..steps) {
                for (root in 0..(blocks - 1)) {
                    finish async at (place) @CUDA {
                        finish for (block in 0n..(blocks - 1n)) async {
                            clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                                val base = block * n;
                                for (var i:Long = thread; i < n; i += THREADS) {
                                    others2(base + i) = position2(root * n + i);
                                    if (root == 0) force2(base + i) = 0.0;
                                }
                                Clock.advanceAll();
                                for (var body:Long = thread; body < each; body += THREADS) attract(position2, base, body, others2, base, each, force2);
                            }
                        }
                    }
                }
                finish async at (place) @CUDA {
                    finish for (block in 0n..(blocks - 1n)) async {
                        clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                            val base = block * n;
                            for (var i:Long = thread; i < n; i += THREADS) position2(base + i) = position2(base + i) + 0.0001 * force2(base + i);
                        }
                    }
                }
            }
        };
        start();
        val slotTime = time(withSlots);
        val splitTime = time(split);
        same("bodies", position, position2, blocks * n);
        report(blocks * each + " bodies on " + blocks + " blocks", slotTime, splitTime);
        for (rail in [position, others, force, position2, others2, force2]) rail.free();
        group.delete();
    }

    @CUDA static def iterations(x:Long, y:Long, width:Long):Int {
        val re = 3.0 * x / width - 2.2;
        val im = 2.4 * y / width - 1.2;
        var a:Double = 0.0;
        var b:Double = 0.0;
        var count:Int = 0n;
        while (count < LIMIT && a * a + b * b <= 4.0) {
            val t = a * a - b * b + re;
            b = 2.0 * a * b + im;
            a = t;
            ++count;
        }
        return count;
    }

    /** A master serves strips to whichever block asks; and strips of one kernel after the other. */
    static def mandelbrot(width:Long) {
        val place = SlotGroup.kernelPlaces(here)(0);
        val workers = 64n;
        val group = SlotGroup.make([SlotsAt(here, 1, 0), SlotsAt(place, 0, workers as Long)]);
        val slots = group.blocks(place);
        val me = group.activities(here)(0);
        val strip = ROWS * width;
        val picture = new Rail[Int](width * width);
        val picture2 = new Rail[Int](width * width);
        val data = GlobalRail.allocate[Int](place, workers * (strip + 1));
        val withSlots = () => {
            finish {
                async at (place) @CUDA {
                    finish for (block in 0n..(workers - 1n)) async {
                        val row = new Rail[Int](1, -1n);
                        clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                            val mine = slots(block);
                            val base = block * (strip + 1);
                            var more:Boolean = true;
                            if (thread == 0n) data(base) = -1n;
                            Clock.advanceAll();
                            while (more) {
                                mine.send(0, data, base, strip + 1);
                                mine.recv(0, row, 0, 1);
                                more = CUDABlock.any(row(0) >= 0n);
                                if (more) {
                                    for (var i:Long = thread; i < strip; i += THREADS) data(base + 1 + i) = iterations(i % width, row(0) + i / width, width);
                                    if (thread == 0n) data(base) = row(0);
                                }
                            }
                        }
                    }
                }
                val room = new Rail[Int](strip + 1);
                var next:Long = 0;
                var working:Long = workers;
                while (working > 0) {
                    val status = me.recv(Slot.ANY_SOURCE, room, 0, strip + 1);
                    if (room(0) >= 0n) Rail.copy(room, 1, picture, room(0) * width, strip);
                    val answer = next < width ? next as Int : -1n;
                    if (answer < 0) --working;
                    me.send(status.source, [answer], 0, 1);
                    next += ROWS;
                }
            }
        };
        val split = () => {
            for (var from:Long = 0; from < width; from += workers * ROWS) {
                val first = from;
                finish async at (place) @CUDA {
                    finish for (block in 0n..(workers - 1n)) async {
                        clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                            for (var i:Long = thread; i < strip; i += THREADS) data(block * strip + i) = iterations(i % width, first + block * ROWS + i / width, width);
                        }
                    }
                }
                finish Rail.asyncCopy(data, 0, picture2, first * width, workers * strip);
            }
        };
        val slotTime = time(withSlots);
        val splitTime = time(split);
        for (i in picture.range) if (picture(i) != picture2(i)) throw new AssertionError("Mandelbrot: pixel " + i + " is " + picture(i) + " and " + picture2(i));
        report("Mandelbrot, " + width + " x " + width + " by " + workers + " blocks", slotTime, splitTime);
        data.free();
        group.delete();
    }
}
