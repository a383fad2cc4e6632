import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * A few numbers are read after each kernel, as programs do that continue until something has converged. A runtime may read them before they
 * are requested: what is written in between, by whatever, must be seen.
 */
public class kernel_readback {
    static SIZE = 256;

    /** Adds `step` to each element. */
    static def add(p:Place, rail:GlobalRail[Long]{self.home() == p}, step:Long) {
        val size = rail.size;
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val i = block * 64 + thread;
                    if (i < size) rail(i) = rail(i) + step;
                }
            }
        }
    }

    static def first(rail:GlobalRail[Long], from:Long, count:Long):Long {
        val found = new Rail[Long](count);
        finish Rail.asyncCopy(rail, from, found, 0, count);
        var sum:Long = 0;
        for (value in found) sum += value;
        return sum;
    }

    /** One rail after the other, and a few elements from the middle. */
    static def inTurn(p:Place) {
        val one = CUDAUtilities.makeGlobalRail[Long](p, SIZE);
        val other = CUDAUtilities.makeGlobalRail[Long](p, SIZE);
        var sum:Long = 0;
        for (turn in 1..20) {
            val rail = turn % 2 == 0 ? one : other;
            add(p, rail, turn);
            sum = sum * 3 + first(rail, 100, 4);
        }
        CUDAUtilities.deleteGlobalRail(one);
        CUDAUtilities.deleteGlobalRail(other);
        return sum;
    }

    /** What the host, or another kernel, writes between a kernel and the read after it. */
    static def between(p:Place) {
        val rail = CUDAUtilities.makeGlobalRail[Long](p, SIZE);
        val copy = CUDAUtilities.makeGlobalRail[Long](p, SIZE);
        val ours = new Rail[Long](4, (i:Long) => 1000 * i);
        var sum:Long = 0;
        for (turn in 1..40) {
            add(p, rail, 1);
            if (turn % 5 == 0) finish Rail.asyncCopy(ours, 0, rail, 0, 4);
            if (turn % 7 == 0) add(p, rail, 10);
            if (turn % 11 == 0) {
                add(p, copy, 3);
                finish Rail.asyncCopy(copy, 0, rail, 2, 2);
                add(p, copy, 5);
            }
            sum = sum * 3 + first(rail, 0, 4);
        }
        CUDAUtilities.deleteGlobalRail(rail);
        CUDAUtilities.deleteGlobalRail(copy);
        return sum;
    }

    /** New rails each time, which may lie where the one before was, and become shorter. */
    static def again(p:Place) {
        var sum:Long = 0;
        for (turn in 1..20) {
            val rail = CUDAUtilities.makeGlobalRail[Long](p, SIZE - turn);
            add(p, rail, turn);
            sum = sum * 3 + first(rail, 0, 8);
            // Not requested after the kernel that wrote it last.
            add(p, rail, 1);
            if (turn % 4 == 0) sum += first(rail, 230, rail.size - 230);
            CUDAUtilities.deleteGlobalRail(rail);
        }
        return sum;
    }

    /** From where words of 16 and of 8 bytes do not begin, and of bytes. */
    static def odd(p:Place) {
        val bytes = CUDAUtilities.makeGlobalRail[Byte](p, 300);
        val longs = CUDAUtilities.makeGlobalRail[Long](p, SIZE);
        var sum:Long = 0;
        for (turn in 1..12) {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        for (var i:Int = thread; i < 300n; i += 64n) bytes(i) = (i + turn) as Byte;
                    }
                }
            }
            val found = new Rail[Byte](201);
            finish Rail.asyncCopy(bytes, 3, found, 0, 201);
            for (value in found) sum = sum * 3 + value;
        }
        for (turn in 1..12) {
            add(p, longs, turn);
            sum = sum * 3 + first(longs, 1, 33);
        }
        CUDAUtilities.deleteGlobalRail(bytes);
        CUDAUtilities.deleteGlobalRail(longs);
        return sum;
    }

    /** A kernel whose fifth launch fails, with the same read after all of them. */
    static def failing(p:Place) {
        val rail = CUDAUtilities.makeGlobalRail[Long](p, SIZE);
        var sum:Long = 0;
        for (turn in 1..8) {
            val last = turn == 5 ? SIZE : SIZE - 1;
            try {
                finish async at (p) @CUDA {
                    finish for (block in 0n..0n) async {
                        clocked finish for (thread in 0n..0n) clocked async {
                            rail(7) = rail(7) + turn;
                            rail(last) = rail(7);
                        }
                    }
                }
            } catch (e:MultipleExceptions) {
                val message = e.exceptions()(0).getMessage();
                Console.OUT.println(turn + message.substring(message.indexOf(": Index")));
            }
            sum = sum * 3 + first(rail, 4, 4);
        }
        CUDAUtilities.deleteGlobalRail(rail);
        return sum;
    }

    /** Several activities, each with a rail of its own. */
    static def together(p:Place) {
        val sums = new Rail[Long](4);
        finish for (worker in 0..3) async {
            val rail = CUDAUtilities.makeGlobalRail[Long](p, SIZE);
            for (turn in 1..50) {
                add(p, rail, worker + turn);
                sums(worker) = sums(worker) * 3 + first(rail, worker, 16);
            }
            CUDAUtilities.deleteGlobalRail(rail);
        }
        return sums;
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) == 0 ? here : topology.getChild(here, 0);
        Console.OUT.println(inTurn(p));
        Console.OUT.println(between(p));
        Console.OUT.println(again(p));
        Console.OUT.println(together(p));
        Console.OUT.println(odd(p));
        Console.OUT.println(failing(p));
    }
}
