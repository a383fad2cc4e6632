import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * Divisions in kernels: what a launch shows not to be zero is not checked, the least number by -1 is itself, and what is zero raises
 * where it is reached.
 */
public class kernel_divisions {
    /** Quotients and remainders of each number by `divisor`, in both widths. */
    static def both(p:Place, numbers:GlobalRail[Long]{self.home() == p}, out:GlobalRail[Long]{self.home() == p}, divisor:Long) {
        val count = numbers.size as Int;
        val small = divisor as Int;
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    if (thread < count) {
                        val a = numbers(thread);
                        val b = a as Int;
                        out(4n * thread) = a / divisor;
                        out(4n * thread + 1n) = a % divisor;
                        out(4n * thread + 2n) = b / small;
                        out(4n * thread + 3n) = b % small;
                    }
                }
            }
        }
    }

    /** Rows and columns of a torus whose width only the launch knows, and may be zero. */
    static def torus(p:Place, width:Int, cells:GlobalRail[Int]{self.home() == p}, out:GlobalRail[Int]{self.home() == p}) {
        val size = cells.size as Int;
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                val row = new Rail[Int](64);
                clocked finish for (thread in 0n..31n) clocked async {
                    for (var i:Int = thread; i < 64n; i += 32n) row(i) = cells((block * 64n + i - 1n + size) % size);
                    Clock.advanceAll();
                    for (var i:Int = thread; i < 64n; i += 32n) {
                        val n = block * 64n + i;
                        val x = n % width;
                        val y = n / width;
                        val right = (x + 1n) % width;
                        if (y * width + right < size) out(n) = row(i) + 10n * cells(y * width + right);
                    }
                }
            }
        }
    }

    /** Where it is zero it is not reached, or by one thread alone. */
    static def guarded(p:Place, divisor:Int, one:Int, out:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    out(thread) = divisor == 0n ? -1n : 100n / divisor;
                    if (one != 0n) out(thread) += 1000n % one;
                    if (thread == 17n && one < 0n) out(thread) = thread / (one + 1n);
                    out(thread) += 64n / (thread + 1n);
                }
            }
        }
    }

    static def tryIt(what:String, work:()=>void) {
        try {
            work();
        } catch (e:MultipleExceptions) {
            val message = e.exceptions()(0).getMessage();
            // Which of the blocks comes first is not said.
            val end = message.indexOf("; block");
            Console.OUT.println(what + ": " + e.exceptions()(0).typeName() + message.substring(message.indexOf(": kernel"), end));
        }
    }

    static def show(what:String, rail:GlobalRail[Int]) {
        val found = new Rail[Int](rail.size);
        finish Rail.asyncCopy(rail, 0, found, 0, rail.size);
        var sum:Long = 0;
        for (i in found.range()) sum = sum * 31 + found(i);
        Console.OUT.println(what + ": " + sum);
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) == 0 ? here : topology.getChild(here, 0);
        val given = [Long.MIN_VALUE, Long.MAX_VALUE, Int.MIN_VALUE as Long, Int.MAX_VALUE as Long, -7, 7, 0, 1];
        val numbers = CUDAUtilities.makeGlobalRail[Long](p, given.size, given);
        val out = CUDAUtilities.makeGlobalRail[Long](p, 4 * given.size);
        for (divisor in [-1, 1, -3, 10, Int.MIN_VALUE as Long, 0]) {
            tryIt("by " + divisor, () => {
                both(p, numbers, out, divisor);
                val found = new Rail[Long](out.size);
                finish Rail.asyncCopy(out, 0, found, 0, out.size);
                var wrong:Long = 0;
                for (i in given.range()) {
                    val a = given(i);
                    val b = a as Int;
                    if (found(4 * i) != a / divisor || found(4 * i + 1) != a % divisor) wrong++;
                    if (found(4 * i + 2) != (b / (divisor as Int)) as Long || found(4 * i + 3) != (b % (divisor as Int)) as Long) wrong++;
                }
                Console.OUT.println("by " + divisor + ": " + wrong + " of " + found.size + " wrong, " + found(0) + " " + found(10));
            });
        }
        val cells = CUDAUtilities.makeGlobalRail[Int](p, 256, (i:Long)=>(i * i % 101) as Int);
        val next = CUDAUtilities.makeGlobalRail[Int](p, 256);
        for (width in [16n, 7n, 256n, 1n, 0n, -5n as Int]) {
            tryIt("width " + width, () => {
                torus(p, width, cells, next);
                show("width " + width, next);
            });
        }
        val few = CUDAUtilities.makeGlobalRail[Int](p, 32);
        for (divisor in [0n, 7n, -7n as Int]) for (one in [0n, 9n, -9n, -1n as Int]) {
            tryIt("guarded " + divisor + " " + one, () => {
                guarded(p, divisor, one, few);
                show("guarded " + divisor + " " + one, few);
            });
        }
        CUDAUtilities.deleteGlobalRail(numbers);
        CUDAUtilities.deleteGlobalRail(out);
        CUDAUtilities.deleteGlobalRail(cells);
        CUDAUtilities.deleteGlobalRail(next);
        CUDAUtilities.deleteGlobalRail(few);
    }
}
