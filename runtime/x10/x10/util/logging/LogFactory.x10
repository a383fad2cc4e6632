package x10.util.logging;

import x10.util.HashMap;

/** Makes logs, which print on standard error. The variable X10_LOG_LEVEL says from which level on: INFO if it is not set. */
public class LogFactory {
    private static FACTORY:LogFactory = new LogFactory();
    private val attributes = new HashMap[String,Any]();
    private val logs = new HashMap[String,Log]();

    protected def this() { }

    /** The factory of this place. */
    public static def getFactory():LogFactory = FACTORY;
    /** Forgets all logs. */
    public static def releaseAll():void { FACTORY.release(); }
    /** Forgets all logs. */
    public def release():void { atomic logs.clear(); }
    /** The names of all attributes. */
    public def getAttributeNames():Rail[String] {
        atomic {
            val names = attributes.keySet().iterator();
            return new Rail[String](attributes.size(), (Long) => names.next());
        }
    }
    /** The attribute of that name, or null. */
    public def getAttribute(name:String):Any { atomic return attributes.getOrElse(name, null); }
    /** Sets an attribute. */
    public def setAttribute(name:String, value:Any):void { atomic attributes.put(name, value); }
    /** Forgets an attribute. */
    public def removeAttribute(name:String):void { atomic attributes.remove(name); }
    /** The log of that name. */
    public def getInstance(name:String):Log {
        atomic {
            val found = logs.getOrElse(name, null);
            if (found != null) return found;
            val made = new ConsoleLogger(name);
            logs.put(name, made);
            return made;
        }
    }
    /** The log of that name. */
    public static def getLog(name:String):Log = FACTORY.getInstance(name);
    /** What tells an object from others. */
    public static def objectId(o:Any):String = o == null ? "null" : System.identityToString(o);
}

class ConsoleLogger implements Log {
    private static LEVELS:Rail[String] = ["NONE", "FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"];
    private val name:String;
    private val limit:Long;

    def this(name:String) {
        this.name = name.substring(name.lastIndexOf('.') + 1n);
        this.limit = wanted(System.getenv("X10_LOG_LEVEL"));
    }

    private static def wanted(level:String):Long {
        for (i in LEVELS.range) if (level != null && (LEVELS(i).equalsIgnoreCase(level) || ("LEVEL_" + LEVELS(i)).equalsIgnoreCase(level))) return i;
        return level != null && level.equalsIgnoreCase("ALL") ? 6 : 4;
    }

    private def put(level:Long, message:Any):void {
        if (level <= limit) Console.ERR.println(LEVELS(level) + " " + name + ": " + message);
    }
    private def put(level:Long, message:Any, t:CheckedThrowable):void {
        if (level > limit) return;
        put(level, message);
        if (t != null) t.printStackTrace();
    }

    public def fatal(message:Any):void { put(1, message); }
    public def fatal(message:Any, t:CheckedThrowable):void { put(1, message, t); }
    public def error(message:Any):void { put(2, message); }
    public def error(message:Any, t:CheckedThrowable):void { put(2, message, t); }
    public def warn(message:Any):void { put(3, message); }
    public def warn(message:Any, t:CheckedThrowable):void { put(3, message, t); }
    public def info(message:Any):void { put(4, message); }
    public def info(message:Any, t:CheckedThrowable):void { put(4, message, t); }
    public def debug(message:Any):void { put(5, message); }
    public def debug(message:Any, t:CheckedThrowable):void { put(5, message, t); }
    public def trace(message:Any):void { put(6, message); }
    public def trace(message:Any, t:CheckedThrowable):void { put(6, message, t); }
    public def isFatalEnabled():Boolean = 1 <= limit;
    public def isErrorEnabled():Boolean = 2 <= limit;
    public def isWarnEnabled():Boolean = 3 <= limit;
    public def isInfoEnabled():Boolean = 4 <= limit;
    public def isDebugEnabled():Boolean = 5 <= limit;
    public def isTraceEnabled():Boolean = 6 <= limit;
}
