// Mistakes with the threads of kernels: lost updates, barriers that not all threads reach, ranges that start elsewhere.
import x10.util.CUDAUtilities;
import x10.compiler.*;

public class threads {
    static def show(title:String, out:GlobalRail[Int]) {
        var text:String = title;
        for (i in 0..(out.size - 1)) text += " " + out(i);
        Console.OUT.println(text);
    }

    static def ranges(p:Place, out:GlobalRail[Int]{self.home() == p}, low:Int, n:Int) {
        finish async at (p) @CUDA {
            finish for (block in 1n..2n) async {
                clocked finish for (thread in low..(n - 1n)) clocked async {
                    out((block - 1n) * 4n + thread - low) = 10n * block + thread;
                }
            }
        }
    }

    static def updates(p:Place, data:Rail[Int], out:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    out(0) += data(thread);
                    out(1) = out(1) - thread;
                    out(2) = Math.max(out(2), data(thread));
                    out(3)++;
                }
            }
        }
    }

    static def barriers(p:Place, out:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val s = new Rail[Int](8);
                clocked finish for (thread in 0n..7n) clocked async {
                    if (thread < 4n) {
                        s(thread) = thread + 1n;
                        Clock.advanceAll();
                        out(thread) = s(3n - thread);
                    }
                    if (thread >= 4n) {
                        s(thread) = 2n * thread;
                        Clock.advanceAll();
                    } else {
                        out(thread) += 1n;
                    }
                    if (thread >= 4n) out(thread) = s(11n - thread);
                }
            }
        }
    }

    static def host(p:Place, values:Rail[Int], factor:Rail[Int]) {
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..1n) clocked async {
                    values(2n * block + thread) = 3n * thread + factor(block);
                    values(2n * block + thread) += values.size as Int;
                }
            }
        }
    }

    public static def main(Rail[String]) {
        val out = CUDAUtilities.makeGlobalRail[Int](here, 8);
        ranges(here, out, 3n, 7n);
        show("ranges", out);
        for (i in 0..7) out(i) = 0n;
        updates(here, new Rail[Int](8, (i:Long) => (i * i) as Int), out);
        show("updates", out);
        barriers(here, out);
        show("barriers", out);
        val values = new Rail[Int](4, 9n);
        host(here, values, [100n, 200n]);
        Console.OUT.println("host " + values(0) + " " + values(1) + " " + values(2) + " " + values(3));
    }
}
