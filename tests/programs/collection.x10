// places: 1 2
import x10.util.ArrayList;
import x10.util.HashMap;

/** Activities allocate, wait and copy while another one collects garbage all the time. */
public class collection {
  static class Node { var left:Node; var right:Node; val value:Long; def this(v:Long) { value = v; } }
  static def tree(depth:Long, v:Long):Node {
    val n = new Node(v);
    if (depth > 0) {
      if (depth > 6) finish { async n.left = tree(depth-1, 2*v); n.right = tree(depth-1, 2*v+1); }
      else { n.left = tree(depth-1, 2*v); n.right = tree(depth-1, 2*v+1); }
    }
    return n;
  }
  static def count(n:Node):Long = n == null ? 0 : 1 + count(n.left) + count(n.right);
  static def work(id:Long):Long {
    var total:Long = 0;
    for (round in 1..6) {
      val t = tree(9, 1);
      val copy = at (here) t;
      total += count(t) + count(copy);
      val map = new HashMap[String,Long]();
      for (i in 1..300) map.put("key " + i, i);
      for (i in 1..300) total += map("key " + i);
      try { finish for (k in 1..3) async { val s = "x" + k; if (k == 2) throw new Exception(s); } }
      catch (e:MultipleExceptions) { if (e.exceptions()(0).getMessage().equals("x2")) total++; }
      val list = new ArrayList[Rail[Long]]();
      for (i in 1..50) list.add(new Rail[Long](200, (j:Long)=>i*j));
      for (i in 1..50) total += list.get(i-1)(7) - 7*i;
    }
    return total;
  }
  public static def main(args:Rail[String]) {
    val done = new x10.util.concurrent.AtomicBoolean(false);
    val collections = new x10.util.concurrent.AtomicLong(0);
    val results = new Rail[Long](8);
    finish {
      async while (!done.get()) { System.gc(); collections.incrementAndGet(); System.sleep(1); }
      async {
        do { finish for (i in 0..7) async results(i) = work(i); } while (collections.get() < 3);
        atomic done.set(true);
      }
    }
    Console.OUT.println(results);
  }
}
