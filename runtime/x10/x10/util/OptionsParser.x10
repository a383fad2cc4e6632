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

    /** The values of each key. */
    public static type OptionsMap = HashMap[String,Rail[String]];
    /** Of a key, how many values it takes and how many follow it: how many of those are its own. */
    public static type TooManyHandler = (String,Int,Int)=>Int;
    /** Of a key, how many values it takes and how many follow it: its values. */
    public static type TooFewHandler = (String,Int,Int)=>Rail[String];
    /** Of a key that was given before, all values so far, and where its new values begin in the arguments and how many they are. */
    public static type DupHandler = (String,OptionsMap,Rail[String],Int,Int)=>void;
    /** Of a key with one value, the value if there is none, and its values: the one. */
    public static type MoreThanOneHandler = (String,String,Rail[String])=>String;
    /** Of a key that no option has, and the options: IGNORE or START_TAIL. */
    public static type UnknownKeyHandler = (String,HashMap[String,Option])=>Int;

    /** What looks like an option and is none is left out. */
    public static IGNORE:Int = 0n;
    /** What looks like an option and is none begins the tail. */
    public static START_TAIL:Int = 1n;
    /** For onMoreThanOne: the first value. */
    public static firstOnMoreThanOne:MoreThanOneHandler = (key:String, orElse:String, values:Rail[String])=>values(0);
    /** For onMoreThanOne: the last value. */
    public static lastOnMoreThanOne:MoreThanOneHandler = (key:String, orElse:String, values:Rail[String])=>values(values.size - 1);
    /** For onUnknownKey: what looks like an option and is none begins the tail. */
    public static startTailOnUnknownKey:UnknownKeyHandler = (key:String, keyMap:HashMap[String,Option])=>START_TAIL;

    /** Called where fewer values follow a key than it takes; raises an Err. */
    public var onTooFew:TooFewHandler = (key:String, expected:Int, got:Int):Rail[String] => {
        throw new Err("the option " + key + " needs " + (expected == 1n ? "a value" : expected + " values"));
    };
    /** Called where more values follow a key than it takes; the others belong to the tail. */
    public var onTooMany:TooManyHandler = (key:String, expected:Int, got:Int)=>expected;
    /** Called where a key was given before; the last values count. */
    public var onDuplicate:DupHandler = (key:String, properties:OptionsMap, args:Rail[String], first:Int, count:Int)=>{
        properties.put(key, new Rail[String](count, (i:Long)=>args(first + i)));
    };
    /** Called where one value is expected and there are several; raises an Err. */
    public var onMoreThanOne:MoreThanOneHandler = (key:String, orElse:String, values:Rail[String]):String => {
        throw new Err("the option " + key + " has the values " + values + ", and only one is expected");
    };
    /** Called where something looks like an option and is none; it is left out, and is among filteredArgs. */
    public var onUnknownKey:UnknownKeyHandler = (key:String, keyMap:HashMap[String,Option])=>IGNORE;

    /** The options that there may be. */
    protected var options:Rail[Option];
    /** The option of each key, short or long, with its dashes. */
    protected var keyMap:HashMap[String,Option] = new HashMap[String,Option]();
    /** The arguments, one for each key and value. */
    protected var args:Rail[String] = null;
    /** The values of each key that was given. */
    protected var properties:OptionsMap = new OptionsMap();
    /** Where the tail begins in args; args.size if there is none. */
    protected var tailStart:Int = -1n;
    /** The options that must be given. */
    protected var required:HashSet[Option] = new HashSet[Option]();
    /** The keys of one letter that take no value. */
    protected var oneCharFlags:HashSet[String] = new HashSet[String]();
    private val unknown:ArrayList[String] = new ArrayList[String]();
    private val tail:ArrayList[String] = new ArrayList[String]();

    /** Takes whatever looks like an option as one, with all that follows up to the next as its values. */
    public def this(args:Rail[String]) { this(args, makeOptionArray(args)); }
    /** flags take no value, others take one. Raises an Err. */
    public def this(args:Rail[String], flags:Rail[Option], others:Rail[Option]) { this(args, merge(flags, others)); }
    /** Raises an Err if a value or a required option is missing. */
    public def this(args:Rail[String], options:Rail[Option]) { this(args, options, new Rail[Any](0)); }
    /** With functions to be called where the command line is not as declared: each is of one of the types of handlers. */
    public def this(args:Rail[String], options:Rail[Option], handlers:Rail[Any]) {
        this.options = options;
        setHandlers(handlers);
        for (option in options) {
            if (option.shortForm.length() > 0n) keyMap.put(option.shortForm, option);
            if (option.longForm.length() > 0n) keyMap.put(option.longForm, option);
            if (option.required) required.add(option);
            if (option.shortForm.length() == 2n && option.minFollow == 0n && !option.arbFollow) oneCharFlags.add(option.shortForm);
        }
        val parts = new ArrayList[String](args.size);
        for (arg in args) takeApart(arg, parts);
        this.args = parts.toRail();
        var i:Long = 0;
        while (i < parts.size()) i = take(parts, i);
        if (tailStart < 0n) tailStart = parts.size() as Int;
        checkRequired();
    }

    /** Has these functions called where the command line is not as declared. */
    @NonEscaping protected final def setHandlers(handlers:Rail[Any]):void {
        for (handler in handlers) {
            if (handler instanceof TooManyHandler) onTooMany = handler as TooManyHandler;
            else if (handler instanceof TooFewHandler) onTooFew = handler as TooFewHandler;
            else if (handler instanceof DupHandler) onDuplicate = handler as DupHandler;
            else if (handler instanceof MoreThanOneHandler) onMoreThanOne = handler as MoreThanOneHandler;
            else if (handler instanceof UnknownKeyHandler) onUnknownKey = handler as UnknownKeyHandler;
        }
    }
    /** An option for each argument that looks like one. */
    protected static def makeOptionArray(args:Rail[String]):Rail[Option] {
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
    protected static def merge(flags:Rail[Option], others:Rail[Option]):Rail[Option] {
        val first = flags == null ? 0 : flags.size;
        return new Rail[Option](first + (others == null ? 0 : others.size), (i:Long)=>i < first ? flags(i).asFlag() : others(i - first).asSimpleParm());
    }
    private static def looksLikeKey(arg:String):Boolean =
        arg.length() > 1n && arg(0n) == '-' && !arg(1n).isDigit() && !(arg(1n) == '.' && arg.length() > 2n && arg(2n).isDigit());

    private def isFlag(key:String):Boolean {
        val option = keyMap.getOrElse(key, Option.BAD);
        return option.minFollow == 0n && !option.arbFollow;
    }
    /** Adds arg to parts: itself, the flags that it is made of, or an option and its value. */
    private def takeApart(arg:String, parts:ArrayList[String]):void {
        if (!looksLikeKey(arg) || keyMap.containsKey(arg)) { parts.add(arg); return; }
        val end = arg.indexOf('=');
        if (end > 0n && keyMap.containsKey(arg.substring(0n, end))) {
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
        val isUnknown = looksLikeKey(key) && !key.equals("--") && !keyMap.containsKey(key);
        if (isUnknown) unknown.add(key);
        if (key.equals("--") || isUnknown && onUnknownKey(key, keyMap) == START_TAIL) {
            startTail(i);
            for (j in (key.equals("--") ? i + 1 : i)..(parts.size() - 1)) tail.add(parts(j));
            return parts.size();
        }
        if (isUnknown) return i + 1;
        if (!looksLikeKey(key)) { startTail(i); tail.add(key); return i + 1; }
        val option = keyMap(key);
        val first = i + 1;
        var end:Long = first;
        // What looks like an option is a value where one must follow.
        while (end < parts.size() && isValue(parts(end)) && (option.arbFollow || end <= i + option.minFollow || !looksLikeKey(parts(end)))) end++;
        val follow = (end - first) as Int;
        if (follow < option.minFollow) {
            record(option, onTooFew(key, option.minFollow, follow));
            return end;
        }
        val tooMany = follow > option.minFollow && !option.arbFollow;
        val count = tooMany ? onTooMany(key, option.minFollow, follow) : follow;
        // Flags that are repeated say nothing new.
        if (count > 0n && properties.containsKey(key)) {
            onDuplicate(key, properties, args, first as Int, count);
            record(option, properties(key));
        } else record(option, new Rail[String](count, (k:Long)=>parts(first + k)));
        return first + count;
    }
    private def startTail(i:Long):void { if (tailStart < 0n) tailStart = i as Int; }
    private def isValue(arg:String):Boolean = !arg.equals("--") && !keyMap.containsKey(arg);
    private def record(option:Option, values:Rail[String]):void {
        if (option.shortForm.length() > 0n) properties.put(option.shortForm, values);
        if (option.longForm.length() > 0n) properties.put(option.longForm, values);
    }
    private def checkRequired():void {
        if (properties.containsKey(HELP.longForm)) return;
        val missing = new StringBuilder();
        for (option in options) {
            if (option.required && !properties.containsKey(option.shortForm) && !properties.containsKey(option.longForm)) missing.add("\n   ").add(option.usage());
        }
        if (missing.length() > 0n) throw new Err("these options are missing:" + missing.result());
    }
    /** The key with its dashes; null if no option has it. */
    private def keyOf(key:String):String =
        keyMap.containsKey(key) ? key : keyMap.containsKey("-" + key) ? "-" + key : keyMap.containsKey("--" + key) ? "--" + key : null;

    /** The values of key, with or without its dashes; none if it was not given, null if there is no such option. */
    public final def get(key:String):Rail[String] {
        val whole = keyOf(key);
        return whole == null ? null : properties.getOrElse(whole, new Rail[String](0));
    }
    /** The values of key, or orElse if it has none. */
    public final def getOrElse(key:String, orElse:Rail[String]):Rail[String] {
        val whole = keyOf(key);
        if (whole == null || !properties.containsKey(whole)) return orElse;
        val values = properties(whole);
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
        return whole != null && properties.containsKey(whole);
    }
    /** The value of key, or d. Raises an Err if it has several. */
    @NonEscaping public final operator this(key:String, d:String):String {
        val values = get(key);
        if (values == null || values.size == 0) return d;
        return values.size > 1 ? onMoreThanOne(key, d, values) : values(0);
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
    /** What parse makes of the value of key, or otherwise if it has none. kind: the kind of value. */
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
    /** Whether the list of options was requested; prints it on standard error if so. */
    public def wantsUsageOnly(leader:String):Boolean {
        var asked:Boolean = false;
        for (key in [HELP.shortForm, HELP.longForm]) asked = asked || properties.containsKey(key) || unknown.contains(key);
        if (!asked) return false;
        Console.ERR.print(usage(leader));
        return true;
    }
}
