package x10.util;

/** Reads a program's arguments: flags, options with a value ("-n 5", "--num 5", "--num=5"), and the rest. */
public class OptionsParser {
    /** An argument that is not as declared. */
    public static class Err extends Exception {
        /** With what is wrong. */
        public def this(message:String) { super(message); }
    }

    private val flags:Rail[Option];
    private val parameters:Rail[Option];
    private val found:HashMap[String, String] = new HashMap[String, String]();
    private val rest:ArrayList[String] = new ArrayList[String]();

    /** flags take no value, parameters take one. Raises an Err. */
    public def this(args:Rail[String], flags:Rail[Option], parameters:Rail[Option]) {
        this.flags = flags;
        this.parameters = parameters;
        var i:Long = 0;
        while (i < args.size) i = take(args, i);
    }

    /** Takes the argument at i, and its value; gives the index after it. */
    private def take(args:Rail[String], i:Long):Long {
        val arg = args(i);
        val equals = arg.indexOf('=');
        val key = equals > 0n ? arg.substring(0n, equals) : arg;
        for (flag in flags) if (flag.matches(arg)) { record(flag, "true"); return i + 1; }
        for (parameter in parameters) {
            if (!parameter.matches(key)) continue;
            if (equals > 0n) { record(parameter, arg.substring(equals + 1n)); return i + 1; }
            if (i + 1 >= args.size) throw new Err("the option " + arg + " needs a value");
            record(parameter, args(i + 1));
            return i + 2;
        }
        if (arg.startsWith("-") && arg.length() > 1n) throw new Err("unknown option " + arg);
        rest.add(arg);
        return i + 1;
    }
    private def record(option:Option, value:String):void {
        if (option.shortForm != null) found.put(option.shortForm, value);
        if (option.longForm != null) found.put(option.longForm, value);
    }

    /** Whether the flag or option key was given. */
    public operator this(key:String):Boolean = found.containsKey(key);
    /** The value of key, or d. */
    public operator this(key:String, d:String):String = found.getOrElse(key, d);
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:Byte):Byte {
        if (!found.containsKey(key)) return d;
        try {
            return Byte.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (Byte), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:Short):Short {
        if (!found.containsKey(key)) return d;
        try {
            return Short.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (Short), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:Int):Int {
        if (!found.containsKey(key)) return d;
        try {
            return Int.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (Int), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:Long):Long {
        if (!found.containsKey(key)) return d;
        try {
            return Long.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (Long), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:UByte):UByte {
        if (!found.containsKey(key)) return d;
        try {
            return UByte.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (UByte), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:UShort):UShort {
        if (!found.containsKey(key)) return d;
        try {
            return UShort.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (UShort), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:UInt):UInt {
        if (!found.containsKey(key)) return d;
        try {
            return UInt.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (UInt), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:ULong):ULong {
        if (!found.containsKey(key)) return d;
        try {
            return ULong.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (ULong), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:Float):Float {
        if (!found.containsKey(key)) return d;
        try {
            return Float.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (Float), not \"" + found(key) + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    public operator this(key:String, d:Double):Double {
        if (!found.containsKey(key)) return d;
        try {
            return Double.parse(found(key));
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (Double), not \"" + found(key) + "\"");
        }
    }
    /** The arguments that are no options. */
    public def filteredArgs():Rail[String] = rest.toRail();
    /** The list of options, after leader. */
    public def usage(leader:String):String {
        var text:String = leader;
        for (flag in flags) text += "\n  " + flag;
        for (parameter in parameters) text += "\n  " + parameter;
        return text;
    }
}
