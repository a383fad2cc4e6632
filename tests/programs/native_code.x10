// C++ code in a program: methods, blocks, and files beside it.
import x10.compiler.Native;
import x10.compiler.NativeCPPCompilationUnit;
import x10.compiler.NativeCPPExtern;
import x10.compiler.NativeCPPInclude;

@NativeCPPInclude("native_code.h")
@NativeCPPCompilationUnit("native_code.cc")
public class native_code {
    static val BASE = 40n;
    var count:Int = 5n;

    /** A struct that C++ fills. */
    static struct Pair {
        val first = 0n;
        val second = 0n;
        val made:Int;

        def this(seed:Int) {
            @Native("c++", "fill_pair((pair_of_ints*)this, seed);") {}
            made = 1n;
        }
        operator this():Int {
            @Native("c++", "return ((pair_of_ints*)this)->second;") { return 0n; }
        }
    }

    @NativeCPPExtern
    static native def total_of(xs:Rail[Double], length:Long):Double;
    @Native("c++", "total_of((#xs)->raw, (#1)->FMGL(size))")
    static native def total(xs:Rail[Double]):Double;
    @Native("c++", "(#0)->FMGL(count) + " +
                   "native_code::FMGL(BASE)")
    native def both():Int;
    @Native("c++", "(#x) < (#y) ? (#x) : (#y)")
    static native def smaller[T](x:T, y:T):T;
    @Native("c++", "sizeof(#T)")
    static native def bytes[T]():Long;
    @Native("c++", "(int)strlen((#text)->c_str())")
    static native def length(text:String):Int;
    @Native("c++", "(#flag) = 1")
    @Native("java", "nothing")
    static def instead(flag:Int):void { Console.OUT.println("not this"); }

    static def sorted(xs:Rail[Int]):Long {
        var moves:Long = 0;
        @Native("c++", "std::sort(xs->raw, xs->raw + xs->FMGL(size)); moves = moves + 1; // xs") {}
        return moves;
    }

    public static def main(Rail[String]) {
        Console.OUT.println(total([1.0, 2.5, 3.0]) + " " + total_of([1.0, 2.5, 3.0], 2));
        Console.OUT.println(new native_code().both() + " " + smaller(3, 2) + " " + smaller(1.5, 2.5));
        Console.OUT.println(bytes[Int]() + " " + bytes[Double]() + " " + length("four"));
        instead(0n);
        val pair = Pair(21n);
        Console.OUT.println(pair() + " " + pair.first + " " + pair.made);
        val xs = [3n, 1n, 2n];
        Console.OUT.println(sorted(xs) + " " + xs);
        val last = Place.places()(Place.numPlaces() - 1);
        Console.OUT.println(at (last) total([0.5, 0.25]));
        @Native("java", "nothing") { Console.OUT.println("X10's code where there is none in C++"); }
    }
}
