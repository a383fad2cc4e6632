/** Operators that classes and structs define: on either side, called by name, in compound assignments, and what is evaluated when. */
public class operators {
    static class Money {
        val cents:Long;
        def this(cents:Long) { this.cents = cents; }
        public operator this + (more:Long):Money { say("left"); return new Money(cents + more); }
        public operator (more:Long) + this:Money { say("right"); return new Money(cents + 100 * more); }
        public operator this - (less:Money):Money = new Money(cents - less.cents);
        public operator - this:Money = new Money(-cents);
        public operator this < (that:Money):Boolean = cents < that.cents;
        public static operator (times:Long) * (money:Money):Money = new Money(times * money.cents);
        public def toString() = cents + "c";
    }

    /** Says itself what `+` means on its left only. */
    static class Fee extends Money {
        def this(cents:Long) { super(cents); }
        public operator this + (more:Long):Money { say("fee"); return new Fee(cents + more + 1); }
    }

    static class Table {
        var value:Long = 0;
        operator this(i:Long):Long { say("get " + i); return value; }
        operator this(i:Long)=(x:Long) { say("set " + i + " to " + x); value = x; }
        operator this()=(x:Long) { say("set to " + x); value = x; }
        operator this():Long { say("get"); return value; }
    }

    static struct Pair(x:Long, y:Long) {
        public operator this + (that:Pair) = Pair(x + that.x, y + that.y);
        public operator this * (k:Long) = Pair(x * k, y * k);
        public operator (k:Long) * this = Pair(k * x, -k * y);
    }

    static def say(text:String) { Console.OUT.print("[" + text + "] "); }
    static def number(n:Long):Long { say("number"); return n; }
    static def money(n:Long):Money { say("money"); return new Money(n); }
    static def table(t:Table):Table { say("table"); return t; }
    static def line(x:Any) { Console.OUT.println(x); }

    public static def main(args:Rail[String]) {
        val m = new Money(5);
        line(m + 7);
        line(7 + m);
        line(m.operator+(7));
        var sum:Money = m;
        sum += 7;
        line(sum);
        line(new Fee(5) + 7);
        line(7 + new Fee(5));
        line(-m - new Money(1));
        line(m < sum);
        line(3 * m);
        line(number(7) + money(5));
        line(money(5) + number(7));
        var n:Long = 1;
        line(n + ((n = 2) > 1 ? m : sum));
        val t = new Table();
        t(3) = 4;
        line(t(5));
        table(t)(number(1)) += number(2);
        line(t.value);
        line(table(t)(2)++);
        line(++table(t)(2));
        t() = 9;
        t() += 1;
        line(t());
        line(Pair(1, 2) * 3 + 3 * Pair(1, 2));
        val r = [10, 20, 30];
        var i:Long = 0;
        r(i++) = i;
        r(i) = i++;
        r(i) += i++;
        line(r + " " + i);
        i = i++ + ++i * i--;
        line(i);
    }
}
