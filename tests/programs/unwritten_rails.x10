import x10.array.Array_2;
import x10.regionarray.Array;
import x10.regionarray.Region;
import x10.util.ArrayList;

/**
 * Rails that are filled when they are made lie in memory that was not cleared. What was there before is seen nowhere: not in rails of
 * zeros, not between the points of a region, not by a collection while the rail is being filled.
 */
public class unwritten_rails {
    static val SIZE = 50000;
    static struct Named(name:String, number:Long) { }
    static struct Plain(number:Long, flag:Boolean) { }

    /** Leaves memory behind that is not zero. */
    static def litter() {
        for (turn in 1..4) new Rail[Long](SIZE, -1);
        for (turn in 1..4) new Rail[String](SIZE, "litter");
        System.gc();
    }
    static def zeros(rail:Rail[Long]):Boolean {
        for (x in rail) if (x != 0) return false;
        return true;
    }
    static def sum(rail:Rail[Long]):Long {
        var sum:Long = 0;
        for (x in rail) sum += x;
        return sum;
    }

    static def numbers() {
        litter();
        Console.OUT.println("zeros " + zeros(new Rail[Long](SIZE)));
        litter();
        Console.OUT.println("values " + sum(new Rail[Long](SIZE, 3)));
        litter();
        val counted = new Rail[Long](SIZE, (i:Long)=>i);
        Console.OUT.println("closure " + sum(counted));
        litter();
        Console.OUT.println("copy " + sum(new Rail[Long](counted)));
        litter();
        val plain = new Rail[Plain](SIZE, (i:Long)=>Plain(i, i % 2 == 0));
        var odd:Long = 0;
        for (p in plain) if (!p.flag) odd += p.number;
        Console.OUT.println("structs " + odd);
    }

    /** A collection in the middle looks at what was filled, and at nothing else. */
    static def references() {
        litter();
        val names = new Rail[String](SIZE, (i:Long)=>{
            if (i % 10000 == 9999) System.gc();
            "n" + i
        });
        litter();
        val structs = new Rail[Named](SIZE, (i:Long)=>{
            if (i % 10000 == 9999) System.gc();
            Named("s" + i, i)
        });
        litter();
        val list = new ArrayList[String]();
        for (i in 1..SIZE) {
            if (i % 10000 == 0) System.gc();
            list.add("l" + i);
        }
        litter();
        var length:Long = 0;
        for (i in 0..(SIZE - 1)) length += names(i).length() + structs(i).name.length() + list(i).length();
        Console.OUT.println("references " + length);
    }

    static def arrays() {
        litter();
        val made = new Array_2[Long](300, 300);
        Console.OUT.println("array " + zeros(made.raw() as Rail[Long]));
        litter();
        val triangle = Region.makeUpperTriangular(300);
        val above = new Array[Long](triangle, (p:Point(2))=>1);
        Console.OUT.println("triangle " + sum(above.raw() as Rail[Long]) + " " + triangle.size());
        litter();
        val square = new Array[Long](Region.make(0..299, 0..299), (p:Point(2))=>p(0) * p(1));
        Console.OUT.println("square " + sum(square.raw() as Rail[Long]));
    }

    /** Nobody has what was not filled to the end. */
    static def failing() {
        litter();
        try {
            new Rail[Long](SIZE, (i:Long)=>{
                if (i == 30000) throw new Exception("at " + i);
                i
            });
        } catch (e:Exception) {
            Console.OUT.println(e.getMessage());
        }
        try {
            val size = -SIZE;
            new Rail[Long](size, 1);
        } catch (e:NegativeArraySizeException) {
            Console.OUT.println("negative");
        }
        Console.OUT.println("nothing " + new Rail[Long](0, 1).size);
    }

    public static def main(args:Rail[String]) {
        numbers();
        references();
        arrays();
        failing();
    }
}
