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

    @NativeCPPExtern static native def last_byte(xs:Rail[Byte], n:Long):Byte;
    @NativeCPPExtern static native def last_short(xs:Rail[Short], n:Long):Short;
    @NativeCPPExtern static native def last_int(xs:Rail[Int], n:Long):Int;
    @NativeCPPExtern static native def last_long(xs:Rail[Long], n:Long):Long;
    @NativeCPPExtern static native def last_ubyte(xs:Rail[UByte], n:Long):UByte;
    @NativeCPPExtern static native def last_ushort(xs:Rail[UShort], n:Long):UShort;
    @NativeCPPExtern static native def last_uint(xs:Rail[UInt], n:Long):UInt;
    @NativeCPPExtern static native def last_ulong(xs:Rail[ULong], n:Long):ULong;
    @NativeCPPExtern static native def last_float(xs:Rail[Float], n:Long):Float;
    @NativeCPPExtern static native def last_double(xs:Rail[Double], n:Long):Double;
    @NativeCPPExtern static native def last_boolean(xs:Rail[Boolean], n:Long):Boolean;
    @NativeCPPExtern static native def last_char(xs:Rail[Char], n:Long):Char;
    @Native("c++", "std::min((#xs)->FMGL(size), std::max(#n, (x10_long)1))")
    static native def clamped(xs:Rail[Long], n:Long):Long;

    /** Rails and values of each type are those of C++. */
    static def types():String {
        val last = last_byte([1y, -2y], 2) + " " + last_short([-3s], 1) + " " + last_int([4n], 1) + " " + last_long([-5], 1)
            + " " + last_ubyte([250uy], 1) + " " + last_ushort([65000us], 1) + " " + last_uint([4000000000un], 1)
            + " " + last_ulong([18000000000000000000ul], 1) + " " + last_float([1.5f], 1) + " " + last_double([-2.5], 1)
            + " " + last_boolean([false, true], 2) + " " + last_char(['z'], 1);
        var count:Long = 6;
        @Native("c++", "count_up(&count); x10_long &same = count; same += 10;") { count = 0; }
        return last + " " + clamped([7, 8, 9], 5) + " " + clamped([7, 8, 9], -5) + " " + count;
    }

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
        Console.OUT.println(types());
        val last = Place.places()(Place.numPlaces() - 1);
        Console.OUT.println(at (last) total([0.5, 0.25]));
        @Native("java", "nothing") { Console.OUT.println("X10's code where there is none in C++"); }
    }
}
