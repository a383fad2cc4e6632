import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Indices, null and divisors are checked in kernels, on CPUs and on devices, and the place can be used afterwards. */
public class kernel_checks {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def report(what:String, run:()=>void) {
        try {
            run();
            Console.OUT.println(what + ": nothing raised");
        } catch (all:MultipleExceptions) {
            for (e in all.exceptions()) {
                val text = e.getMessage();
                Console.OUT.println(what + ": " + e.typeName() + ": " + text.substring(text.lastIndexOf('/') + 1n));
            }
        }
    }

    /** The last thread of the last block is one element behind the end. */
    static def write(p:Place, size:Long) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, size);
        report("write", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..3n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        out(block * 32n + thread) = 1n;
                    }
                }
            }
        });
        CUDAUtilities.deleteGlobalRail(out);
    }

    @CUDA static def pick(from:Rail[Long], i:Long):Long = from(i);

    /** What is read says where to read; others wait at a barrier. */
    static def indirect(p:Place, where:Rail[Long], through:Boolean) {
        val values = new Rail[Long](64, (i:Long)=>i * i);
        val out = CUDAUtilities.makeGlobalRail[Long](p, 64);
        report("indirect", () => {
            finish async at (p) @CUDA {
                finish for ([by, bx] in (0n..1n) * (0n..1n)) async {
                    val seen = new Rail[Long](16, 0);
                    clocked finish for ([ty, tx] in (0n..3n) * (0n..3n)) clocked async {
                        val rank = (by * 2n + bx) * 16n + ty * 4n + tx;
                        seen(ty * 4n + tx) = through ? pick(values, where(rank)) : values(where(rank));
                        Clock.advanceAll();
                        out(rank) = seen((ty * 4n + tx + 1n) % 16n);
                    }
                }
            }
        });
        CUDAUtilities.deleteGlobalRail(out);
    }

    static def missing(p:Place, values:Rail[Int]) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 1);
        report("null", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..0n) clocked async {
                        out(0) = values(7);
                    }
                }
            }
        });
        CUDAUtilities.deleteGlobalRail(out);
    }

    static def divide(p:Place, by:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 8);
        report("divide", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..7n) clocked async {
                        out(thread) = 100n / (thread - by);
                    }
                }
            }
        });
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** Loops whose last iteration is guarded, and one that is not. */
    static def loops(p:Place, n:Long, limit:Long) {
        val out = CUDAUtilities.makeGlobalRail[Long](p, n), steps = CUDAUtilities.makeGlobalRail[Int](p, n);
        report("loops", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..1n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        val id = block * 32n + thread;
                        for (var i:Long = id; i < n; i += 64) out(i) = i;
                        if (id < n) for (i in 0..id) out(id) = out(id) + i;
                        for (var s:Int = 1n; s < limit; s *= 2n) if (id == 0n) steps(s) = s;
                    }
                }
            }
        });
        CUDAUtilities.deleteGlobalRail(out);
        CUDAUtilities.deleteGlobalRail(steps);
    }

    /** An index that is the same for all threads, so that whichever comes first finds it outside. */
    static def same(p:Place, first:Long, more:Int) {
        val values = new Rail[Long](8, (i:Long)=>i);
        val out = CUDAUtilities.makeGlobalRail[Long](p, 32);
        try {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        var bits:Byte = thread as Byte;
                        var turn:Int = 0n;
                        while (turn <= (values.size - 7 + more as Long) as Int) {
                            turn += 2n;
                            for (var i:Long = first + (more as Long); i < 5; i++) bits |= values(3 - (i & 15)) as Byte;
                        }
                        out(thread) = first;
                    }
                }
            }
            Console.OUT.println("same: nothing raised");
        } catch (all:MultipleExceptions) {
            Console.OUT.println("same: " + all.exceptions()(0).typeName());
        }
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** The length of a shared rail is what the launch makes of it; where there is no block, there is no rail either. */
    static def shared(p:Place, blocks:Int, length:Int) {
        report("shared", () => {
            finish async at (p) @CUDA {
                finish for (block in 0n..(blocks - 1n)) async {
                    val s = new Rail[Int](length);
                    clocked finish for (thread in 0n..31n) clocked async {
                        if (thread < length) s(thread) = block;
                    }
                }
            }
        });
    }

    public static def main(args:Rail[String]) {
        val p = place();
        write(p, 127);
        write(p, 128);
        val where = new Rail[Long](64, (i:Long)=>i);
        indirect(p, where, false);
        where(37) = 64;
        indirect(p, where, false);
        where(37) = -1;
        indirect(p, where, true);
        missing(p, null);
        missing(p, new Rail[Int](8));
        divide(p, 8n);
        divide(p, 3n);
        loops(p, 100, 100);
        loops(p, 100, 65);
        loops(p, 128, 129);
        same(p, -1, 4n);
        same(p, 4, 12n);
        shared(p, 3n, 5n);
        shared(p, 3n, -5n);
        shared(p, 0n, -5n);
        write(p, 128);
    }
}
