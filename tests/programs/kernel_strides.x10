import x10.compiler.CUDA;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/** A warp strides over each row of a sparse matrix: rows of all lengths, and indices that are outside. */
public class kernel_strides {
    static def rail[T](p:Place, host:Rail[T]){T haszero} = CUDAUtilities.makeGlobalRail[T](p, host.size, host);

    static def multiply(p:Place, rows:Int, starts:GlobalRail[Int]{home==p}, columns:GlobalRail[Int]{home==p}, values:GlobalRail[Int]{home==p},
            x:GlobalRail[Int]{home==p}, y:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((rows + 7n) / 8n - 1n)) async {
                clocked finish for (thread in 0n..255n) clocked async {
                    val row = block * 8n + thread / 32n;
                    val lane = thread % 32n;
                    var sum:Long = 0;
                    if (row < rows)
                        for (var i:Int = starts(row) + lane; i < starts(row + 1n); i += 32n) sum += values(i) * x(columns(i));
                    for (var by:Int = 16n; by > 0n; by /= 2n) sum += CUDAWarp.shuffleDown(sum, by);
                    if (lane == 0n && row < rows) y(row) = sum;
                }
            }
        }
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val rows = 101n;
        val starts = new Rail[Int](rows + 1);
        for (row in 0..(rows - 1)) starts(row + 1) = starts(row) + (row as Int * 7n) % 101n;
        val entries = starts(rows) as Long;
        val columns = new Rail[Int](entries, (i:Long)=>((i * 31) % 50) as Int);
        val values = new Rail[Int](entries, (i:Long)=>(i % 17) as Int);
        val x = new Rail[Int](50, (i:Long)=>(i * i) as Int);
        val y = CUDAUtilities.makeGlobalRail[Long](p, rows);
        val there = rail(p, values), vector = rail(p, x);
        multiply(p, rows, rail(p, starts), rail(p, columns), there, vector, y);
        val all = new Rail[Long](rows);
        finish Rail.asyncCopy(y, 0, all, 0, rows);
        for (row in 0..(rows - 1)) {
            var sum:Long = 0;
            for (i in starts(row)..(starts(row + 1) - 1n)) sum += values(i) * x(columns(i));
            if (sum != all(row)) Console.OUT.println("row " + row + ": " + all(row) + " instead of " + sum);
        }
        Console.OUT.println(entries + " entries");
        columns(entries / 2) = 50n;
        try {
            multiply(p, rows, rail(p, starts), rail(p, columns), there, vector, y);
            Console.OUT.println("a column that is outside was read");
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println("outside: a column");
        } catch (e:MultipleExceptions) {
            Console.OUT.println("outside: a column");
        }
        columns(entries / 2) = 0n;
        starts(rows) = (entries + 5) as Int;
        try {
            multiply(p, rows, rail(p, starts), rail(p, columns), there, vector, y);
            Console.OUT.println("an entry that is outside was read");
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println("outside: an entry");
        } catch (e:MultipleExceptions) {
            Console.OUT.println("outside: an entry");
        }
    }
}
