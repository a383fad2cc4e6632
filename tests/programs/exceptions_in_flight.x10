// places: 1 2
// options: --heap 24M --threads 2
import x10.compiler.Native;
import x10.compiler.NativeCPPInclude;

/** Exceptions between their throw and their handler are alive, however many there are and however long that takes, and are garbage afterwards. */
@NativeCPPInclude("exceptions_in_flight.h")
public class exceptions_in_flight {
    static val COUNT = 3000;

    static class Tagged extends Exception {
        val tag:Long;
        val payload:Rail[Long];
        def this(tag:Long, length:Long, cause:CheckedThrowable) {
            super("tagged " + tag, cause);
            this.tag = tag;
            payload = new Rail[Long](length, (i:Long) => tag + i);
        }
        def holds(expected:Long):Boolean {
            if (tag != expected) return false;
            for (i in payload.range) if (payload(i) != tag + i) return false;
            return true;
        }
    }

    static def make(tag:Long, length:Long) = new Tagged(tag, length, new Tagged(tag + 1, 8, null));
    static def toss(tag:Long, length:Long) { throw make(tag, length); }

    /** C++ keeps what the body throws. */
    static def keepThrown(body:()=>void) { @Native("c++", "try { call((apg_object *)body); } catch (...) { keep_current(); }") { } }
    static def keep(tag:Long, length:Long) { keepThrown(() => { toss(tag, length); }); }
    static def rethrow(index:Long) { @Native("c++", "std::rethrow_exception(kept[index]);") { } }
    static def forget() { @Native("c++", "kept.clear(); kept.shrink_to_fit();") { } }
    static def keepUntilExit() { @Native("c++", "kept_until_exit = kept[0];") { } }
    static def clearStack() { @Native("c++", "clear_stack_below();") { } }

    /** Uses what is free, so that an object that was freed too early is overwritten. */
    static def overwrite() {
        clearStack();
        System.gc();
        var last:Any = null;
        for (i in 1..20000) last = new Rail[Long](1 + i % 16, 0x7777777777777777);
        if (last == null) Console.OUT.println("nothing");
    }

    static def whileUnwinding(body:()=>void, action:()=>void) {
        @Native("c++", "AtUnwinding until_return{(apg_object *)action}; call((apg_object *)body);") { }
    }

    static def isTagged(e:CheckedThrowable, tag:Long):Boolean {
        if (!(e instanceof Tagged) || !(e as Tagged).holds(tag)) return false;
        val cause = e.getCause();
        return cause instanceof Tagged && (cause as Tagged).holds(tag + 1);
    }

    static def kept() {
        for (i in 0..(COUNT - 1)) keep(i * 10, 8);
        overwrite();
        var right:Long = 0;
        // Twice: the first handler ends before the second throw.
        for (round in 1..2) for (i in 0..(COUNT - 1)) {
            try { rethrow(i); } catch (e:CheckedThrowable) { if (isTagged(e, i * 10)) right++; }
        }
        forget();
        return right;
    }

    static def unwinding() {
        var right:Long = 0;
        for (i in 1..20) {
            try { whileUnwinding(() => { toss(i * 10, 8); }, () => { overwrite(); }); } catch (e:CheckedThrowable) { if (isTagged(e, i * 10)) right++; }
        }
        return right;
    }

    /** Activities suspended in handlers and finally blocks; exceptions cross a finish and an `at`. */
    static def suspended() {
        val arrived = new Cell[Long](0);
        var right:Long = 0;
        try {
            finish for (i in 1..500) async {
                try {
                    at (Place.places().next(here)) toss(i * 10, 8);
                } finally {
                    atomic arrived() = arrived() + 1;
                    if (i == 1) { when (arrived() == 500) { } overwrite(); atomic arrived() = 501; }
                    else when (arrived() > 500) { }
                }
            }
        } catch (e:MultipleExceptions) {
            val seen = new Rail[Boolean](501);
            for (x in e.exceptions()) {
                val tag = (x as Tagged).tag;
                if (isTagged(x, tag) && !seen(tag / 10)) { seen(tag / 10) = true; right++; }
            }
        }
        return right;
    }

    /** 40 exceptions of 1 MB each, one after the other, in a heap of 24 MB. */
    static def released() {
        var right:Long = 0;
        for (i in 1..40) {
            keep(i * 10, 1 << 17);
            try { rethrow(0); } catch (e:Tagged) { if (e.holds(i * 10)) right++; }
            forget();
        }
        return right;
    }

    public static def main(Rail[String]) {
        Console.OUT.println("kept by C++: " + kept());
        Console.OUT.println("unwinding: " + unwinding());
        Console.OUT.println("suspended: " + suspended());
        Console.OUT.println("released: " + released());
        keep(1, 1);
        keepUntilExit();
    }
}
