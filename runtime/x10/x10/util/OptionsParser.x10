package x10.util;

import x10.compiler.NonEscaping;

/**
 * Reads the command line of a program: its options, their values, and what comes after them (the tail). One argument may
 * hold several flags of one letter (-xyz), or an option and its value (--size=10). A number is no option, though it
 * begins with a dash; "--" ends the options.
 *
 *     val options = new OptionsParser(args, [Option("v", "verbose", "say more")], [Option("n", "size", "how many")]);
 *     val size = options("-n", 100);
 */
public class OptionsParser {
    /** A command line that is not as declared. */
    public static final class Err extends Exception {
        /** With what is wrong. */
        public def this(m:String) { super(m); }
    }
    /** The option that asks for the list of options. */
    public static HELP:Option = Option.HELP;

    private val options:Rail[Option];
    private val byKey:HashMap[String,Option] = new HashMap[String,Option]();
    private val found:HashMap[String,Rail[String]] = new HashMap[String,Rail[String]]();
    private val unknown:ArrayList[String] = new ArrayList[String]();
    private val tail:ArrayList[String] = new ArrayList[String]();

    /** Takes whatever looks like an option as one, with all that follows up to the next as its values. */
    public def this(args:Rail[String]) { this(args, optionsOf(args)); }
    /** flags take no value, others take one. Raises an Err. */
    public def this(args:Rail[String], flags:Rail[Option], others:Rail[Option]) { this(args, merge(flags, others)); }
    /** Raises an Err if a value or a required option is missing. */
    public def this(args:Rail[String], options:Rail[Option]) {
        this.options = options;
        for (option in options) {
            if (option.shortForm.length() > 0n) byKey.put(option.shortForm, option);
            if (option.longForm.length() > 0n) byKey.put(option.longForm, option);
        }
        val parts = new ArrayList[String](args.size);
        for (arg in args) takeApart(arg, parts);
        var i:Long = 0;
        while (i < parts.size()) i = take(parts, i);
        checkRequired();
    }

    private static def optionsOf(args:Rail[String]):Rail[Option] {
        val all = new RailBuilder[Option]();
        for (arg in args) {
            if (arg.equals("--")) break;
            if (!looksLikeKey(arg)) continue;
            val end = arg.indexOf('=');
            val key = end > 0n ? arg.substring(0n, end) : arg;
            all.add(key.startsWith("--") ? Option("", key, "", 0n, true) : Option(key, "", "", 0n, true));
        }
        return all.result();
    }
    /** Programs pass null where they have none. */
    private static def merge(flags:Rail[Option], others:Rail[Option]):Rail[Option] {
        val first = flags == null ? 0 : flags.size;
        return new Rail[Option](first + (others == null ? 0 : others.size), (i:Long)=>i < first ? flags(i).asFlag() : others(i - first).asSimpleParm());
    }
    private static def looksLikeKey(arg:String):Boolean =
        arg.length() > 1n && arg(0n) == '-' && !arg(1n).isDigit() && !(arg(1n) == '.' && arg.length() > 2n && arg(2n).isDigit());

    private def isFlag(key:String):Boolean {
        val option = byKey.getOrElse(key, Option.BAD);
        return option.minFollow == 0n && !option.arbFollow;
    }
    /** Adds arg to parts: itself, the flags that it is made of, or an option and its value. */
    private def takeApart(arg:String, parts:ArrayList[String]):void {
        if (!looksLikeKey(arg) || byKey.containsKey(arg)) { parts.add(arg); return; }
        val end = arg.indexOf('=');
        if (end > 0n && byKey.containsKey(arg.substring(0n, end))) {
            parts.add(arg.substring(0n, end));
            parts.add(arg.substring(end + 1n));
            return;
        }
        for (i in 1n..(arg.length() - 1n)) if (!isFlag("-" + arg(i))) { parts.add(arg); return; }
        for (i in 1n..(arg.length() - 1n)) parts.add("-" + arg(i));
    }
    /** Takes the argument at i, and its values; gives the index after them. */
    private def take(parts:ArrayList[String], i:Long):Long {
        val key = parts(i);
        if (key.equals("--")) {
            for (j in (i + 1)..(parts.size() - 1)) tail.add(parts(j));
            return parts.size();
        }
        if (!looksLikeKey(key)) { tail.add(key); return i + 1; }
        if (!byKey.containsKey(key)) { unknown.add(key); return i + 1; }
        val option = byKey(key);
        val first = i + 1;
        var end:Long = first;
        while (end < parts.size() && (option.arbFollow || end <= i + option.minFollow) && isValue(parts(end))) end++;
        if (end - i - 1 < option.minFollow)
            throw new Err("the option " + key + " needs " + (option.minFollow == 1n ? "a value" : option.minFollow + " values"));
        val values = new Rail[String](end - first, (k:Long)=>parts(first + k));
        record(option.shortForm, values);
        record(option.longForm, values);
        return end;
    }
    private def isValue(arg:String):Boolean = !arg.equals("--") && !byKey.containsKey(arg);
    private def record(key:String, values:Rail[String]):void { if (key.length() > 0n) found.put(key, values); }
    private def checkRequired():void {
        if (found.containsKey(HELP.longForm)) return;
        val missing = new StringBuilder();
        for (option in options) {
            if (option.required && !found.containsKey(option.shortForm) && !found.containsKey(option.longForm)) missing.add("\n   ").add(option.usage());
        }
        if (missing.length() > 0n) throw new Err("these options are missing:" + missing.result());
    }
    /** The key with its dashes; null if no option has it. */
    private def keyOf(key:String):String =
        byKey.containsKey(key) ? key : byKey.containsKey("-" + key) ? "-" + key : byKey.containsKey("--" + key) ? "--" + key : null;

    /** The values of key, with or without its dashes; none if it was not given, null if there is no such option. */
    public final def get(key:String):Rail[String] {
        val whole = keyOf(key);
        return whole == null ? null : found.getOrElse(whole, new Rail[String](0));
    }
    /** The values of key, or orElse if it has none. */
    public final def getOrElse(key:String, orElse:Rail[String]):Rail[String] {
        val whole = keyOf(key);
        if (whole == null || !found.containsKey(whole)) return orElse;
        val values = found(whole);
        return values.size > 0 ? values : orElse;
    }
    /** How many values key has; -1 if there is no such option. */
    public def howManyValues(key:String):Int {
        if (keyOf(key) == null) return -1n;
        return get(key).size as Int;
    }
    /** Whether the option key was given. */
    @NonEscaping public final operator this(key:String):Boolean {
        val whole = keyOf(key);
        return whole != null && found.containsKey(whole);
    }
    /** The value of key, or d. Raises an Err if it has several. */
    @NonEscaping public final operator this(key:String, d:String):String {
        val values = get(key);
        if (values == null || values.size == 0) return d;
        if (values.size > 1) throw new Err("the option " + key + " has the values " + values + ", and only one is asked for");
        return values(0);
    }
    /** The value of key, or d. Raises an Err if it is neither yes nor no. */
    @NonEscaping public final operator this(key:String, d:Boolean):Boolean {
        val text = this(key, "");
        if (text.length() == 0n) return d || this(key);
        try {
            return StringUtil.checkBoolean(text);
        } catch (e:IllegalArgumentException) {
            throw new Err("the option " + key + " needs true or false, not \"" + text + "\"");
        }
    }
    /** What parse makes of the value of key, or otherwise if it has none. kind: what is asked for. */
    private def number[T](key:String, otherwise:T, kind:String, parse:(String)=>T):T {
        val text = this(key, "");
        if (text.length() == 0n) return otherwise;
        try {
            return parse(text);
        } catch (e:NumberFormatException) {
            throw new Err("the option " + key + " needs a number (" + kind + "), not \"" + text + "\"");
        }
    }
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:Byte):Byte = number[Byte](key, d, "Byte", (text:String)=>StringUtil.parseByte(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:Short):Short = number[Short](key, d, "Short", (text:String)=>StringUtil.parseShort(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:Int):Int = number[Int](key, d, "Int", (text:String)=>StringUtil.parseInt(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:Long):Long = number[Long](key, d, "Long", (text:String)=>StringUtil.parseLong(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:UByte):UByte = number[UByte](key, d, "UByte", (text:String)=>StringUtil.parseUByte(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:UShort):UShort = number[UShort](key, d, "UShort", (text:String)=>StringUtil.parseUShort(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:UInt):UInt = number[UInt](key, d, "UInt", (text:String)=>StringUtil.parseUInt(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:ULong):ULong = number[ULong](key, d, "ULong", (text:String)=>StringUtil.parseULong(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:Float):Float = number[Float](key, d, "Float", (text:String)=>Float.parse(text));
    /** The value of key, or d. Raises an Err if it is not a number that fits. */
    @NonEscaping public final operator this(key:String, d:Double):Double = number[Double](key, d, "Double", (text:String)=>Double.parse(text));
    /** The arguments that are no options and no values of options. */
    public def getTail():Rail[String] = tail.toRail();
    /** Whether there are such arguments. */
    public def hasTail():Boolean = tail.size() > 0;
    /** What looks like an option and is none that the program knows. */
    public def filteredArgs():Rail[String] = unknown.toRail();
    /** Whether there are such arguments; says so on standard error if show. */
    public def hasUnexpectedArgs(show:Boolean):Boolean {
        if (unknown.isEmpty()) return false;
        if (show) {
            Console.ERR.println("no options of this program:\n" + StringUtil.formatArray(unknown.toRail()));
            showHELP();
        }
        return true;
    }
    /** The list of options, after leader. */
    public def usage(leader:String):String {
        var text:String = leader;
        for (option in options) text += "    " + option.usage() + "\n";
        return text + "\n";
    }
    /** Says on standard error how to ask for the list of options. */
    public def showHELP():void {
        val help = HELP;
        Console.ERR.println(help.longForm + " (" + help.shortForm + ") lists the options of this program");
    }
    /** Whether the list of options was asked for; prints it on standard error if so. */
    public def wantsUsageOnly(leader:String):Boolean {
        var asked:Boolean = false;
        for (key in [HELP.shortForm, HELP.longForm]) asked = asked || found.containsKey(key) || unknown.contains(key);
        if (!asked) return false;
        Console.ERR.print(usage(leader));
        return true;
    }
}
