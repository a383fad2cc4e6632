import x10.compiler.*;
import x10.util.*;

/** Accesses of which the launch proves some and not others, and tiles that are read ahead. */
public class kernel_held {
    static val TILE = 16n;

    static def counts(p:Place, n:Int, data:GlobalRail[UByte]{self.home==p}, bins:GlobalRail[Int]{self.home==p}) {
        finish async at (p) @CUDA {
            finish for (b in 0n..3n) async {
                clocked finish for (t in 0n..63n) clocked async {
                    for (var i:Int = b * 64n + t; i < n; i += 256n) CUDAAtomic.add(bins, data(i) as Long, 1n);
                }
            }
        }
    }

    static def histogram(p:Place, size:Long, most:Long) {
        val n = 1000n;
        val data = CUDAUtilities.makeGlobalRail[UByte](p, n, (i:Long)=>(i * 11 % (most + 1)) as UByte);
        val bins = CUDAUtilities.makeGlobalRail[Int](p, size, (i:Long)=>0n);
        try {
            counts(p, n, data, bins);
            val got = new Rail[Int](size);
            finish Rail.asyncCopy(bins, 0, got, 0, size);
            for (i in 0..(n - 1)) got(i * 11 % (most + 1))--;
            var wrong:Long = 0;
            for (g in got) if (g != 0n) wrong++;
            Console.OUT.println("bytes up to " + most + " in " + size + " bins: wrong " + wrong);
        } catch (e:MultipleExceptions) {
            for (x in e.exceptions()) Console.OUT.println(x.getMessage().substring(x.getMessage().indexOf("Index")).split(";")(0));
        }
        CUDAUtilities.deleteGlobalRail(data);
        CUDAUtilities.deleteGlobalRail(bins);
    }

    /** Sums of tiles; the next one is read while the one at hand is added. */
    static def ahead(p:Place, n:Int) {
        val data = CUDAUtilities.makeGlobalRail[Int](p, n, (i:Long)=>(i * i % 91) as Int);
        val out = CUDAUtilities.makeGlobalRail[Int](p, TILE, (i:Long)=>0n);
        try {
            finish async at (p) @CUDA {
                finish for (b in 0n..0n) async {
                    clocked finish for (t in 0n..(TILE - 1n)) clocked async {
                        var sum:Int = 0n;
                        var value:Int = data(t);
                        for (var k:Int = 0n; k < n; k += TILE) {
                            val next = k + TILE;
                            sum += value;
                            if (next < n) value = data(next + t);
                        }
                        out(t) = sum;
                    }
                }
            }
            val got = new Rail[Int](TILE);
            finish Rail.asyncCopy(out, 0, got, 0, got.size);
            for (i in 0..(n - 1)) got(i % TILE) -= (i * i % 91) as Int;
            var wrong:Long = 0;
            for (g in got) if (g != 0n) wrong++;
            Console.OUT.println("tiles of " + n + ": wrong " + wrong);
        } catch (e:MultipleExceptions) {
            for (x in e.exceptions()) Console.OUT.println(x.getMessage().substring(x.getMessage().indexOf("(Rail")).split(";")(0));
        }
        CUDAUtilities.deleteGlobalRail(data);
        CUDAUtilities.deleteGlobalRail(out);
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) == 0 ? here : topology.getChild(here, 0);
        histogram(p, 256, 255);
        histogram(p, 64, 63);
        histogram(p, 100, 100);
        ahead(p, 128n);
        ahead(p, 120n);
    }
}
