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
    /** One byte. */
    public static UBYTE:Marshal[UByte] = new UByteMarshal();
    /** One to four bytes: UTF-8. */
    public static CHAR:Marshal[Char] = new CharMarshal();
    /** Two bytes. */
    public static SHORT:Marshal[Short] = new ShortMarshal();
    /** Two bytes. */
    public static USHORT:Marshal[UShort] = new UShortMarshal();
    /** Four bytes. */
    public static INT:Marshal[Int] = new IntMarshal();
    /** Four bytes. */
    public static UINT:Marshal[UInt] = new UIntMarshal();
    /** Eight bytes. */
    public static LONG:Marshal[Long] = new LongMarshal();
    /** Eight bytes. */
    public static ULONG:Marshal[ULong] = new ULongMarshal();
    /** Four bytes. */
    public static FLOAT:Marshal[Float] = new FloatMarshal();
    /** Eight bytes. */
    public static DOUBLE:Marshal[Double] = new DoubleMarshal();
    /** A line: read to its end, written as it is. */
    public static LINE:Marshal[String] = new LineMarshal();

    public static final class BooleanMarshal implements Marshal[Boolean] {
        public def read(r:Reader):Boolean = r.read() != 0y;
        public def write(w:Writer, v:Boolean):void { w.write(v ? 1y : 0y); }
    }

    public static final class ByteMarshal implements Marshal[Byte] {
        public def read(r:Reader):Byte = r.read();
        public def write(w:Writer, v:Byte):void { w.write(v); }
    }

    public static final class ShortMarshal implements Marshal[Short] {
        public def read(r:Reader):Short {
            val high = r.read();
            return ((high as Int) << 8 | ((r.read() as Int) & 255n)) as Short;
        }
        public def write(w:Writer, v:Short):void {
            w.write(((v as Int) >> 8) as Byte);
            w.write(v as Byte);
        }
    }

    public static final class IntMarshal implements Marshal[Int] {
        public def read(r:Reader):Int {
            var value:Int = 0n;
            for (i in 1..4) value = (value << 8) | ((r.read() as Int) & 255n);
            return value;
        }
        public def write(w:Writer, v:Int):void {
            for (i in 0..3) w.write((v >> (24 - 8 * i)) as Byte);
        }
    }

    public static final class LongMarshal implements Marshal[Long] {
        public def read(r:Reader):Long {
            var value:Long = 0;
            for (i in 1..8) value = (value << 8) | ((r.read() as Long) & 255);
            return value;
        }
        public def write(w:Writer, v:Long):void {
            for (i in 0..7) w.write((v >> (56 - 8 * i)) as Byte);
        }
    }

    public static final class FloatMarshal implements Marshal[Float] {
        public def read(r:Reader):Float = Float.fromIntBits(Marshal.INT.read(r));
        public def write(w:Writer, v:Float):void { Marshal.INT.write(w, v.toIntBits()); }
    }

    public static final class DoubleMarshal implements Marshal[Double] {
        public def read(r:Reader):Double = Double.fromLongBits(Marshal.LONG.read(r));
        public def write(w:Writer, v:Double):void { Marshal.LONG.write(w, v.toLongBits()); }
    }

    public static final class UByteMarshal implements Marshal[UByte] {
        public def read(r:Reader):UByte = Marshal.BYTE.read(r) as UByte;
        public def write(w:Writer, v:UByte):void { Marshal.BYTE.write(w, v as Byte); }
    }

    public static final class UShortMarshal implements Marshal[UShort] {
        public def read(r:Reader):UShort = Marshal.SHORT.read(r) as UShort;
        public def write(w:Writer, v:UShort):void { Marshal.SHORT.write(w, v as Short); }
    }

    public static final class UIntMarshal implements Marshal[UInt] {
        public def read(r:Reader):UInt = Marshal.INT.read(r) as UInt;
        public def write(w:Writer, v:UInt):void { Marshal.INT.write(w, v as Int); }
    }

    public static final class ULongMarshal implements Marshal[ULong] {
        public def read(r:Reader):ULong = Marshal.LONG.read(r) as ULong;
        public def write(w:Writer, v:ULong):void { Marshal.LONG.write(w, v as Long); }
    }

    public static final class CharMarshal implements Marshal[Char] {
        public def read(r:Reader):Char {
            val first = (r.read() as Int) & 255n;
            if (first < 0xc0n) return first as Char;
            // The number of leading ones of the first byte is the number of bytes.
            val more = first >= 0xf0n ? 3n : first >= 0xe0n ? 2n : 1n;
            var code:Int = first & (0x3fn >> more);
            for (i in 1n..more) code = (code << 6) | ((r.read() as Int) & 0x3fn);
            return code as Char;
        }
        public def write(w:Writer, v:Char):void {
            if (v.ord() < 128n) w.write(v.ord() as Byte); else w.write(v.toString());
        }
    }

    public static final class LineMarshal implements Marshal[String] {
        public def read(r:Reader):String {
            val line = new x10.util.GrowableRail[Byte]();
            try {
                for (var byte:Byte = r.read(); byte != 10y; byte = r.read()) line.add(byte);
            } catch (end:EOFException) {
                if (line.isEmpty()) throw end;
            }
            return new String(line);
        }
        public def write(w:Writer, v:String):void { w.write(v); }
    }
}
