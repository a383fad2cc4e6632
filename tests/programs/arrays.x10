import x10.array.*;

/** Arrays of one to four axes and their index spaces. */
public class arrays {
    static def sum(a:Array[Double]):Double = a.reduce((x:Double,y:Double)=>x+y, 0.0);
    public static def main(args:Rail[String]) {
        val a = new Array_2[Double](3,4,(i:Long,j:Long)=>i*10.0+j);
        Console.OUT.println(a);
        Console.OUT.println(sum(a));
        for ([i,j] in a.indices()) a(i,j) += 1.0;
        for (p in a.indices()) a(p) *= 2.0;
        Console.OUT.println(a(2,3) + " " + a.rank() + " " + a.size + " " + a.numElems_1 + " " + a.numElems_2);
        for (x in a) Console.OUT.print(x + " ");
        Console.OUT.println();
        val b = new Array_2[Double](3,4);
        a.map(b, (x:Double)=>-x);
        Console.OUT.println(b.toString(12));
        val c = new Array_2[Double](a);
        Array.copy(b, c);
        Array.swap(a, c);
        Console.OUT.println(a(0,0) + " " + c(0,0));
        try { a(3,0) = 1.0; } catch (e:ArrayIndexOutOfBoundsException) { Console.OUT.println(e.getMessage()); }
        try { Console.OUT.println(a(0,-1)); } catch (e:ArrayIndexOutOfBoundsException) { Console.OUT.println(e.getMessage()); }
        val f:(Long,Long)=>Double = a;
        Console.OUT.println(f(1,1));
        val d = new Array_3[Int](2,2,2,7n);
        Console.OUT.println(d);
        Console.OUT.println(d.indices());
        val v = Array_1.makeView[Int](d.raw());
        v(5) = 3n;
        Console.OUT.println(d(1,0,1));
        val e = new Array_4[Long](2,2,2,2,(i:Long,j:Long,k:Long,l:Long)=>i+j+k+l);
        Console.OUT.println(e.toString(100));
        Console.OUT.println((0..1)*(2..3)*(4..5)*(6..7));
        val s:IterationSpace = 0..3;
        for (p in s) Console.OUT.print(p);
        for ([i] in s) Console.OUT.print(i);
        Console.OUT.println(s);
        try { new Array_2[Long](-1, 3); } catch (x:NegativeArraySizeException) { Console.OUT.println("negative"); }
    }
}
