// Mistakes of kernels.
import x10.util.CUDAUtilities;
import x10.compiler.*;

public class kernels {
    static def half(n:Int):Int = n / 2n;
    static def square(x:Int):Int = twice(x) * x;
    static def twice(x:Int):Int = 2n * x;

    val scale:Int = 3n;

    static def sum(title:String, out:GlobalRail[Int]) {
        var sum:Long = 0;
        for (i in 0..(out.size - 1)) sum = sum * 3 % 1000003 + out(i);
        Console.OUT.println(title + " " + sum);
    }

    static def moved(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int) {
        var offset:Int = 4n;
        offset += n;
        finish async at (p) @CUDA {
            Console.OUT.println("starts " + n);
            val factor = 3n * n;
            finish for (block in 0n..(half(n) - 1n)) async {
                val start = block * 8n;
                clocked finish for (thread in 0n..7n) clocked async {
                    out(start + thread) = factor * thread + offset + square(block);
                }
            }
            Console.OUT.println("ends");
        }
    }

    def field(p:Place, out:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..15n) clocked async {
                    val own = new Rail[Int](2);
                    own(1) = thread;
                    out(block * 16n + thread) = own(1) * scale + this.scale;
                }
            }
        }
    }

    static def shape(p:Place, out:GlobalRail[Int]{self.home() == p}, more:Rail[Int]) {
        finish async at (p) @CUDA {
            for (block in 0..3) {
                for (thread in 0n..7n) {
                    out(block * 8 + thread) = thread + more(thread);
                }
            }
        }
    }

    public static def main(Rail[String]) {
        val out = CUDAUtilities.makeGlobalRail[Int](here, 32);
        moved(here, out, 8n);
        sum("moved", out);
        new kernels().field(here, out);
        sum("field", out);
        shape(here, out, new Rail[Int](8, (i:Long) => i as Int));
        sum("shape", out);
    }
}
