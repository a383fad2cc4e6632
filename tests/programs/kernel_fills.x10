import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Initial values of shared rails that read, and write, what the kernel or another such rail does; guards of values that wrap or are cut. */
public class kernel_fills {
    static N = 1024n;

    static def fetch(from:GlobalRail[Int], n:Long) {
        val all = new Rail[Int](n);
        finish Rail.asyncCopy(from, 0, all, 0, n);
        CUDAUtilities.deleteGlobalRail(from);
        return all;
    }

    /** The values before the kernel writes them. */
    static def before(p:Place) {
        val g = CUDAUtilities.makeGlobalRail[Int](p, N, new Rail[Int](N, (i:Long) => i as Int));
        val out = CUDAUtilities.makeGlobalRail[Int](p, N);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val s = new Rail[Int](1024, (i:Long) => g(i));
                clocked finish for (thread in 0n..255n) clocked async {
                    for (k in 0n..3n) g(N - 1n - k * 256n - thread) = -1n;
                    Clock.advanceAll();
                    for (k in 0n..3n) out(k * 256n + thread) = s(k * 256n + thread);
                }
            }
        }
        val all = fetch(out, N);
        var wrong:Long = 0;
        for (i in all.range) if (all(i) != i as Int) wrong++;
        Console.OUT.println("before: " + wrong + ", now " + fetch(g, N)(7));
    }

    /** One rail from another, which the kernel then writes. */
    static def another(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 256);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val s = new Rail[Int](256, (i:Long) => i as Int);
                val t = new Rail[Int](256, (i:Long) => s(255 - i));
                clocked finish for (thread in 0n..255n) clocked async {
                    s(thread) = -1n;
                    Clock.advanceAll();
                    out(thread) = t(thread);
                }
            }
        }
        val all = fetch(out, 256);
        Console.OUT.println("another: " + all(0) + " " + all(100) + " " + all(255));
    }

    /** Initial values that write. */
    static def writing(p:Place) {
        val g = CUDAUtilities.makeGlobalRail[Int](p, 256);
        val out = CUDAUtilities.makeGlobalRail[Int](p, 256);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val s = new Rail[Int](256, (i:Long) => { g(i) = i as Int; return 1n; });
                clocked finish for (thread in 0n..255n) clocked async {
                    out(thread) = s(255n - thread) + g(255n - thread);
                }
            }
        }
        val all = fetch(out, 256);
        CUDAUtilities.deleteGlobalRail(g);
        Console.OUT.println("writing: " + all(0) + " " + all(255));
    }

    /** A guard says something of the lowest bits only. */
    static def cut(p:Place) {
        val a = CUDAUtilities.makeGlobalRail[Long](p, 64, new Rail[Long](64, (i:Long) => i * 256 + 5));
        val out = CUDAUtilities.makeGlobalRail[Int](p, 64);
        try {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async
                    clocked finish for (thread in 0n..63n) clocked async {
                        val x = a(thread);
                        if ((x as Byte) >= 0y && (x as Byte) < 10y) out(x as Int) = 1n;
                    }
            }
            Console.OUT.println("cut: no exception");
        } catch (e:MultipleExceptions) {
            Console.OUT.println("cut: " + e.exceptions()(0).typeName());
        }
    }

    /** A sum that wraps into the range that its guard asks for. */
    static def wrapped(p:Place) {
        val a = CUDAUtilities.makeGlobalRail[Int](p, 256, new Rail[Int](256, (i:Long) => Int.MIN_VALUE + i as Int));
        val b = CUDAUtilities.makeGlobalRail[Int](p, 256, new Rail[Int](256, Int.MIN_VALUE));
        val out = CUDAUtilities.makeGlobalRail[Int](p, 256);
        val n = 256n;
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async
                clocked finish for (thread in 0n..255n) clocked async {
                    val x = a(thread), y = b(thread);
                    if (x + y >= 0n && x + y < n) { val k = x + y; out(k) = k; }
                }
        }
        val all = fetch(out, 256);
        CUDAUtilities.deleteGlobalRail(a);
        CUDAUtilities.deleteGlobalRail(b);
        Console.OUT.println("wrapped: " + all(0) + " " + all(255));
    }

    /** What threads read behind a barrier in a branch or a loop, before they store over all of it. */
    static def behind(p:Place, turns:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 256);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                val s = new Rail[Int](64, 7n);
                val t = new Rail[Int](64, 5n);
                clocked finish for (thread in 0n..63n) clocked async {
                    var sum:Int = 0n;
                    if (turns > 5n) sum = 100n; else { Clock.advanceAll(); sum = s(63n - thread); Clock.advanceAll(); }
                    s(thread) = thread;
                    for (var k:Int = 0n; k < turns; k++) { Clock.advanceAll(); sum += t(63n - thread); Clock.advanceAll(); }
                    t(thread) = thread;
                    Clock.advanceAll();
                    out(block * 64n + thread) = sum + s(63n - thread) + t(63n - thread);
                }
            }
        }
        val all = fetch(out, 256);
        Console.OUT.println("behind: " + all(0) + " " + all(255));
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        before(p);
        another(p);
        writing(p);
        wrapped(p);
        cut(p);
        behind(p, 3n);
        behind(p, 6n);
    }
}
