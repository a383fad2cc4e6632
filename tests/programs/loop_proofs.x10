import x10.regionarray.Array;
import x10.regionarray.Region;

/** Loops whose indices cannot be proved, or whose arrays are no arrays of the class library. */
public class loop_proofs {
    /** Has methods that are named like those of arrays. */
    static class Named {
        public operator this(i:Long):Long = i;
        public def uncheckedGet(i:Long):Long = -1;
        public def covers(a:Long, b:Long):Boolean = true;
    }

    /** An index that is only right if numbers did not wrap. */
    static def wrapped(rail:Rail[Byte], factor:Int, offset:Long):String {
        var done:Long = 0;
        try {
            for (i in -5n..10n) {
                rail(((i + factor * factor * factor) as Long) + offset) = 1y;
                done++;
            }
        } catch (e:ArrayIndexOutOfBoundsException) {
            return "stopped after " + done;
        }
        return "went on";
    }

    static def below(a:Array[Long]{self.rank==1}):String {
        var done:Long = 0;
        try {
            for (i in 0..5) {
                a(i) = 1;
                done++;
            }
        } catch (e:ArrayIndexOutOfBoundsException) {
            return "stopped after " + done;
        }
        return "went on";
    }

    public static def main(args:Rail[String]) {
        val named = new Named();
        var sum:Long = 0;
        for (i in 0..3) sum += named(i);
        Console.OUT.println(sum);
        val factor = (2097152 + args.size) as Int;
        Console.OUT.println(wrapped(new Rail[Byte](16), factor, Long.MIN_VALUE + 5));
        Console.OUT.println(wrapped(new Rail[Byte](16), 0n, 5));
        val least = Long.MIN_VALUE + args.size;
        Console.OUT.println(below(new Array[Long](Region.make(least, least + 9), 0)));
        Console.OUT.println(below(new Array[Long](Region.make(0, 9), 0)));
    }
}
