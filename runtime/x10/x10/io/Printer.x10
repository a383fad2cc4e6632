package x10.io;

/** Writes values as text. A line printed at once is never mixed with others'. */
public class Printer extends FilterWriter {
    /** Prints to w. */
    public def this(w:Writer) { super(w); }

    /** Ends the line. */
    public def println():void { write("\n"); }
    /** Prints a value and ends the line. */
    public final def println(o:Any):void { write(o + "\n"); }
    /** Prints a text and ends the line. */
    public final def println(s:String):void { write(s + "\n"); }
    /** Prints an exception and ends the line. */
    public final def println(e:CheckedThrowable):void { write(e + "\n"); }
    /** Prints a value. */
    public final def print(o:Any):void { write("" + o); }
    /** Prints a text. */
    public def print(s:String):void { write("" + s); }
    /** Prints an exception. */
    public final def print(e:CheckedThrowable):void { write("" + e); }
    /** Prints the arguments put into fmt, as C's printf. */
    public def printf(fmt:String, args:Rail[Any]):void { write(String.format(fmt, args)); }
    /** The same as printf with a rail. */
    public def printfRail(fmt:String, args:Rail[Any]):void { write(String.format(fmt, args)); }
    /** Prints fmt. */
    public def printf(fmt:String):void { printfRail(fmt, new Rail[Any](0)); }
    /** Prints 1 argument put into fmt. */
    public def printf(fmt:String, o1:Any):void {
        val args = new Rail[Any](1);
        args(0) = o1;
        printfRail(fmt, args);
    }
    /** Prints 2 arguments put into fmt. */
    public def printf(fmt:String, o1:Any, o2:Any):void {
        val args = new Rail[Any](2);
        args(0) = o1; args(1) = o2;
        printfRail(fmt, args);
    }
    /** Prints 3 arguments put into fmt. */
    public def printf(fmt:String, o1:Any, o2:Any, o3:Any):void {
        val args = new Rail[Any](3);
        args(0) = o1; args(1) = o2; args(2) = o3;
        printfRail(fmt, args);
    }
    /** Prints 4 arguments put into fmt. */
    public def printf(fmt:String, o1:Any, o2:Any, o3:Any, o4:Any):void {
        val args = new Rail[Any](4);
        args(0) = o1; args(1) = o2; args(2) = o3; args(3) = o4;
        printfRail(fmt, args);
    }
    /** Prints 5 arguments put into fmt. */
    public def printf(fmt:String, o1:Any, o2:Any, o3:Any, o4:Any, o5:Any):void {
        val args = new Rail[Any](5);
        args(0) = o1; args(1) = o2; args(2) = o3; args(3) = o4; args(4) = o5;
        printfRail(fmt, args);
    }
    /** Prints 6 arguments put into fmt. */
    public def printf(fmt:String, o1:Any, o2:Any, o3:Any, o4:Any, o5:Any, o6:Any):void {
        val args = new Rail[Any](6);
        args(0) = o1; args(1) = o2; args(2) = o3; args(3) = o4; args(4) = o5; args(5) = o6;
        printfRail(fmt, args);
    }
}
