import x10.io.Marshal.LongMarshal;
import x10.io.StringWriter;
import x10.util.HashMap;
import x10.util.Map.Entry;

/** Member types that are imported; bytes that a marshal writes; the rail that a GlobalRail names. */
public class nested_imports {
    static def show(e:Entry[String,Long]):String = e.getKey() + "=" + e.getValue();

    public static def main(args:Rail[String]):void {
        val map = new HashMap[String,Long]();
        map.put("seven", 7);
        for (e in map.entries()) Console.OUT.println(show(e));
        val bytes = new StringWriter();
        new LongMarshal().write(bytes, 0x4142434445464748);
        Console.OUT.println(bytes.result());
        val named = new GlobalRail[Long](new Rail[Long](3, (i:Long) => i * i));
        Console.OUT.println(named.rail()(2));
    }
};
