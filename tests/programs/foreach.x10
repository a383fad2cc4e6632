import x10.util.foreach.*;
import x10.util.concurrent.AtomicLong;
import x10.array.DenseIterationSpace_2;
import x10.compiler.Foreach;
/** The loops of x10.util.foreach and x10.compiler.Foreach agree with each other. */
public class foreach {
  public static def main(Rail[String]) {
    val n = 1000;
    val hits = new Rail[Long](n);
    Block.operator for(0..(n-1), (i:Long)=>{ hits(i)++; });
    Bisect.operator for(0..(n-1), (i:Long)=>{ hits(i)++; });
    Cyclic.operator for(0..(n-1), (i:Long)=>{ hits(i)++; });
    Basic.operator for(0..(n-1), (i:Long)=>{ hits(i)++; });
    Sequential.operator for(0..(n-1), (i:Long)=>{ hits(i)++; });
    Foreach.block(0, n-1, (a:Long,b:Long)=>{ for (i in a..b) hits(i)++; });
    var bad:Long = 0; for (h in hits) if (h != 6) bad++;
    Console.OUT.println("bad " + bad);
    val add = (a:Long, b:Long)=>a+b;
    Console.OUT.println(Block.operator for(1..n, add, 0, (i:Long)=>i) + " " + Bisect.operator for(1..n, add, 0, (i:Long)=>i)+ " " + Cyclic.operator for(1..n, add, 0, (i:Long)=>i) + " " + Sequential.operator for(1..n, add, 0, (i:Long)=>i) + " " + Block.operator for(1..0, add, 0, (i:Long)=>i) + " " + Bisect.operator for(1..0, add, 0, (i:Long)=>i));
    val space = new DenseIterationSpace_2(1, 1, 30, 7);
    val f = (i:Long, j:Long)=>i*j;
    Console.OUT.println(Block.operator for(space, add, 0, f) + " " + Bisect.operator for(space, add, 0, f) + " " + Bisect.operator for(space, 1, 1, add, 0, f) + " " + Sequential.operator for(space, add, 0, f)+ " " + Foreach.bisectReduce(space, f, add, 0));
    val sum = new AtomicLong();
    Block.operator for(space, (i:Long, j:Long)=>{ sum.addAndGet(i*j); });
    Bisect.operator for(space, 2, 2, (i:Long, j:Long)=>{ sum.addAndGet(i*j); });
    Basic.operator for(space, (i:Long, j:Long)=>{ sum.addAndGet(i*j); });
    Console.OUT.println(sum);
    val red = new Bisect.Reducer[Long](Reducible.MaxReducer[Long](-1));
    try { red.value(); } catch (e:ReduceNotReady) { Console.OUT.println("not ready"); }
    red.operator for(1..50, (i:Long)=>i*(50-i));
    Console.OUT.println(red.value());
  }
}
