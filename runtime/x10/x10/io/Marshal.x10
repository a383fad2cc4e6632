package x10.io;

/** A form of values of type T as bytes. Numbers are big-endian. */
public interface Marshal[T] {
    /** Reads one value. */
    def read(r:Reader):T;
    /** Writes one value. */
    def write(w:Writer, v:T):void;

    /** 0 or 1. */
    public static BOOLEAN:Marshal[Boolean] = new BooleanMarshal();
    /** One byte. */
    public static BYTE:Marshal[Byte] = new ByteMarshal();
    /** Two bytes. */
    public static SHORT:Marshal[Short] = new ShortMarshal();
    /** Four bytes. */
    public static INT:Marshal[Int] = new IntMarshal();
    /** Eight bytes. */
    public static LONG:Marshal[Long] = new LongMarshal();
    /** Four bytes. */
    public static FLOAT:Marshal[Float] = new FloatMarshal();
    /** Eight bytes. */
    public static DOUBLE:Marshal[Double] = new DoubleMarshal();
    /** A line. */
    public static LINE:Marshal[String] = new LineMarshal();
}

final class BooleanMarshal implements Marshal[Boolean] {
    public def read(r:Reader):Boolean = r.read() != 0y;
    public def write(w:Writer, v:Boolean):void { w.write(v ? 1y : 0y); }
}

final class ByteMarshal implements Marshal[Byte] {
    public def read(r:Reader):Byte = r.read();
    public def write(w:Writer, v:Byte):void { w.write(v); }
}

final class ShortMarshal implements Marshal[Short] {
    public def read(r:Reader):Short {
        val high = r.read();
        return ((high as Int) << 8 | ((r.read() as Int) & 255n)) as Short;
    }
    public def write(w:Writer, v:Short):void {
        w.write(((v as Int) >> 8) as Byte);
        w.write(v as Byte);
    }
}

final class IntMarshal implements Marshal[Int] {
    public def read(r:Reader):Int {
        var value:Int = 0n;
        for (i in 1..4) value = (value << 8) | ((r.read() as Int) & 255n);
        return value;
    }
    public def write(w:Writer, v:Int):void {
        for (i in 0..3) w.write((v >> (24 - 8 * i)) as Byte);
    }
}

final class LongMarshal implements Marshal[Long] {
    public def read(r:Reader):Long {
        var value:Long = 0;
        for (i in 1..8) value = (value << 8) | ((r.read() as Long) & 255);
        return value;
    }
    public def write(w:Writer, v:Long):void {
        for (i in 0..7) w.write((v >> (56 - 8 * i)) as Byte);
    }
}

final class FloatMarshal implements Marshal[Float] {
    public def read(r:Reader):Float = Float.fromIntBits(Marshal.INT.read(r));
    public def write(w:Writer, v:Float):void { Marshal.INT.write(w, v.toIntBits()); }
}

final class DoubleMarshal implements Marshal[Double] {
    public def read(r:Reader):Double = Double.fromLongBits(Marshal.LONG.read(r));
    public def write(w:Writer, v:Double):void { Marshal.LONG.write(w, v.toLongBits()); }
}

final class LineMarshal implements Marshal[String] {
    public def read(r:Reader):String {
        val line = new x10.util.ArrayList[Byte]();
        try {
            for (var byte:Byte = r.read(); byte != 10y; byte = r.read()) line.add(byte);
        } catch (end:EOFException) {
            if (line.size() == 0) throw end;
        }
        return new String(line.toRail());
    }
    public def write(w:Writer, v:String):void { w.write(v + "\n"); }
}
