//! Java's library classes and members, with their replacements in X10, for diagnostics.

/// Whether `name` is the first segment of a Java library package.
pub(crate) fn is_root(name: &str) -> bool {
    matches!(name, "java" | "javax" | "jdk" | "sun")
}

/// The note for a name in a Java package.
pub(crate) const NO_PACKAGE: &str =
    "Java's library is not part of X10, whose programs are compiled to machine code";

/// The X10 class that replaces a Java class of another name.
pub(crate) fn same_class(name: &str) -> Option<&'static str> {
    Some(match name {
        "Integer" => "Int",
        "Character" => "Char",
        "Object" => "Any",
        "RuntimeException" => "Exception",
        _ => return None,
    })
}

/// Advice for a Java class without an X10 counterpart.
pub(crate) fn advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "Runnable" | "Callable" | "Supplier" | "Consumer" | "Function" | "BiFunction" | "Predicate"
        | "UnaryOperator" | "BinaryOperator" => {
            "functions are values: `() => void` and `(Long) => Boolean` are types, and `(x:Long) => x > 3` is a closure"
        }
        "Thread" | "Executors" | "ExecutorService" | "ThreadPoolExecutor" | "ForkJoinPool"
        | "CompletableFuture" => {
            "an activity is started by `async { ... }`, and waited for by a `finish` around it"
        }
        "CountDownLatch" => "`finish` waits for activities; `x10.util.concurrent.Latch` is a latch",
        "CyclicBarrier" | "Phaser" => {
            "a `clocked finish` has a barrier for its activities: `Clock.advanceAll()`"
        }
        "ReentrantLock" => {
            "`atomic { ... }` keeps other activities away; `x10.util.concurrent.Lock` is a lock"
        }
        "Semaphore" => "`when (count > 0) count--;` waits until `count` is greater than 0",
        "ConcurrentHashMap" => "`x10.util.HashMap` is a map, which activities change in `atomic { ... }`",
        "LinkedList" | "ArrayDeque" | "Deque" | "Queue" => {
            "`x10.util.ArrayList` is a list: `removeFirst()` and `removeLast()` take from its ends"
        }
        "TreeMap" | "TreeSet" | "LinkedHashMap" => "`x10.util.HashMap` and `x10.util.HashSet` have no order",
        "Arrays" | "Collections" => {
            "rails are worked on by `x10.util.RailUtils`, such as `RailUtils.sort(rail)`; a list has `sort()`"
        }
        "Objects" => {
            "`==` compares, and `x.equals(y)` as the class of `x` does; `x.hashCode()` is there for all objects"
        }
        "Throwable" => {
            "`Exception` is the class of what may be thrown anywhere, `CheckedThrowable` that of all that is thrown"
        }
        "Optional" => "a variable of a class may be `null`",
        "Scanner" | "BufferedReader" | "InputStreamReader" => {
            "`Console.IN.readLine()` reads a line; `Long.parse(text)` makes a number of it"
        }
        "Comparator" => "an order is a function: `(a:T, b:T) => a.compareTo(b)`",
        "Stream" | "IntStream" | "Collectors" => "write a loop: `for (x in list) ...`",
        _ => return None,
    })
}

/// Advice for a static member that exists in Java only.
pub(crate) fn member_advice(class: &str, name: &str) -> Option<&'static str> {
    Some(match (class, name) {
        ("System", "exit") => {
            "`System.setExitCode(code)` sets the status with which the program ends; `return` ends `main`"
        }
        ("System", "in") => "X10 reads by `Console.IN`",
        ("System", "arraycopy") => "`Rail.copy(from, 0, to, 0, n)` copies elements",
        ("System", "identityHashCode") => "`x.hashCode()` is there for all objects",
        ("Math", "floorMod") => "write `((a % b) + b) % b`",
        ("Int" | "Long" | "Short" | "Byte" | "Double" | "Float" | "Boolean", "valueOf") => {
            "a number needs no object; `parse(text)` makes one of a text"
        }
        ("Int" | "Long" | "Short" | "Byte" | "Double" | "Float" | "Boolean" | "Char", "toString") => {
            "a value has it itself: `x.toString()`"
        }
        ("Char", "isDigit" | "isLetter" | "isWhitespace" | "toUpperCase" | "toLowerCase") => {
            "a character has it itself, as in `c.isDigit()`"
        }
        _ => return None,
    })
}
