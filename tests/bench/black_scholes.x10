import x10.compiler.CUDA;
import x10.util.CUDAUtilities;
import x10.util.Random;

/** European options by the Black-Scholes formula: the kernel's time, median of 50. Arguments: number of options. */
public class black_scholes {
    @CUDA static def cumulative(d:Float):Float {
        val k = 1.0f / (1.0f + 0.2316419f * Math.abs(d));
        val tail = 0.39894228f * Math.expf(-0.5f * d * d)
            * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
        return d > 0.0f ? 1.0f - tail : tail;
    }

    static def prices(p:Place, n:Long, stock:GlobalRail[Float]{home==p}, strike:GlobalRail[Float]{home==p},
            years:GlobalRail[Float]{home==p}, calls:GlobalRail[Float]{home==p}, puts:GlobalRail[Float]{home==p}) {
        val blocks = 480n;
        val threads = 128n;
        val rate = 0.02f;
        val volatility = 0.30f;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    for (var i:Long = block * threads + thread; i < n; i += blocks * threads) {
                        val t = years(i);
                        val s = stock(i);
                        val x = strike(i);
                        val root = Math.sqrtf(t);
                        val d1 = (Math.logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
                        val d2 = d1 - volatility * root;
                        val c1 = cumulative(d1);
                        val c2 = cumulative(d2);
                        val discount = Math.expf(-rate * t);
                        calls(i) = s * c1 - x * discount * c2;
                        puts(i) = x * discount * (1.0f - c2) - s * (1.0f - c1);
                    }
                }
            }
        }
    }

    public static def main(args:Rail[String]) {
        val n = args.size > 0 ? Long.parse(args(0)) : 4000000;
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val random = new Random(1);
        val make = (low:Float, high:Float)=>
            CUDAUtilities.makeGlobalRail[Float](p, n, new Rail[Float](n, (Long)=>low + (high - low) * random.nextFloat()));
        val stock = make(5.0f, 30.0f);
        val strike = make(1.0f, 100.0f);
        val years = make(0.25f, 10.0f);
        val calls = CUDAUtilities.makeGlobalRail[Float](p, n);
        val puts = CUDAUtilities.makeGlobalRail[Float](p, n);
        val times = new x10.util.ArrayList[Long]();
        for (i in 1..60) {
            val start = System.nanoTime();
            prices(p, n, stock, strike, years, calls, puts);
            if (i > 10) times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("BlackScholes, %d options at %s: median %.4f ms\n", n, p, times(25) / 1.0E6);
    }
}
