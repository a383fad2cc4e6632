/** try, catch, finally, nested finish, MultipleExceptions. */
public class exceptions {
    static class Special extends Exception {
        val code:Int;
        def this(code:Int) { super("code " + code); this.code = code; }
    }

    static def test(n:Int):String {
        try {
            if (n == 0n) return "returned";
            if (n == 1n) throw new Special(7n);
            if (n == 2n) { val r = new Rail[Int](2); r(n) = 1n; }
            return "end";
        } catch (e:Special) {
            return "special " + e.code + " " + e.getMessage();
        } catch (e:Exception) {
            return "exception " + (e instanceof ArrayIndexOutOfBoundsException);
        } finally {
            Console.OUT.print("finally; ");
        }
    }

    public static def main(args:Rail[String]) {
        for (n in 0n..3n) Console.OUT.println(test(n));
        try {
            finish {
                async { throw new Special(1n); }
                async { finish { async { throw new Special(2n); } } }
            }
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions.size + " exceptions, " + e.getExceptionsOfType[Special]().size + " special");
        }
        try {
            at (here) { throw new Special(3n); }
        } catch (e:Special) {
            Console.OUT.println("at: " + e.code);
        }
        var i:Int = 0n;
        while (true) {
            try {
                i++;
                if (i < 3n) continue;
                break;
            } finally {
                Console.OUT.print(i + " ");
            }
        }
        Console.OUT.println();
        try {
            val s:String = null;
            s.length();
        } catch (e:NullPointerException) {
            Console.OUT.println("null string");
        }
        try {
            new Rail[Int](-1);
        } catch (e:NegativeArraySizeException) {
            Console.OUT.println("negative");
        }
        try {
            Int.parse("12x");
        } catch (e:NumberFormatException) {
            Console.OUT.println("no number");
        }
        // What is no Exception stands inside one.
        val cause = new Exception("outer", new CheckedException("inner")).getCause();
        Console.OUT.println(cause.typeName() + " " + cause.getCheckedCause().getMessage() + " " + cause.getCause().typeName());
        Console.OUT.println(new Exception("alone").getCause());
    }
}
