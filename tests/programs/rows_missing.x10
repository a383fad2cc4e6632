/** Rows of rails that are not there, in loops where the index in the row tells nothing: the exception is that of the row. */
public class rows_missing {
    static def sum(rows:Rail[Rail[Long]], a:Rail[Long], k:Long, spots:Rail[Long]):Long {
        var sum:Long = 0;
        for (j in a.range) {
            sum += a(j);
            sum += rows(k)(spots(j));
        }
        return sum;
    }
    static def deep(cube:Rail[Rail[Rail[Long]]], a:Rail[Long], k:Long, spots:Rail[Long]):Long {
        var sum:Long = 0;
        for (j in a.range) {
            sum += a(j);
            sum += cube(k)(spots(j))(j);
        }
        return sum;
    }
    static def add(rows:Rail[Rail[Long]], a:Rail[Long], k:Long, spots:Rail[Long]):Long {
        for (var j:Long = 0; j < a.size; j++) {
            a(j) = 7;
            rows(k)(spots(j)) += 1;
        }
        return a(0) + rows(k)(spots(0));
    }
    static def tell(what:()=>Long) {
        try { Console.OUT.println(what()); } catch (e:Exception) { Console.OUT.println(e); }
    }
    public static def main(Rail[String]) {
        val rows = new Rail[Rail[Long]](3, (i:Long) => i == 2 ? null : new Rail[Long](4, (j:Long) => i * 10 + j));
        val cube = new Rail[Rail[Rail[Long]]](2, rows);
        val a = new Rail[Long](4, (i:Long) => i);
        val spots = [3, 1, 0, 1 as Long];
        for (k in [1, 5, -1, 2 as Long]) tell(() => sum(rows, a, k, spots));
        for (k in [1, 2 as Long]) tell(() => deep(cube, a, k, [0, 1, 0, 1 as Long]));
        tell(() => deep(cube, a, 1, spots));
        for (k in [9, 1, 2 as Long]) { tell(() => add(rows, a, k, spots)); Console.OUT.println(a); }
    }
}
