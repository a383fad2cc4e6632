def main(args:Rail[String]) { Console.OUT.println("outside"); }
val outside = 3;
enum Color { RED, GREEN }
trait Shape { def area():Double; }
namespace n { class Inner { } }

class Others {
    this(x:Long) { }
    def f(x:Long) -> Long { return x; }
    def g(s:String?):String? = s?.trim();
    def +(that:Others) = this;
    def values(a:Boolean, b:Boolean) {
        val f = fun(x:Long):Long { return x + 1; };
        val g = function(x:Long) { return x; };
        val h = lambda x: x + 1;
        val t = (1, 2);
        val (u, v) = t;
        val n = if (a) 1 else 2;
        val m = if (a) { 1 } else { 2 };
        if (a and not b or (b)) { }
        if (n === 3 && m !== 4) { }
        val k:(Long)->Long = (x:Long) -> x;
        for (i in 0...9) { }
        for (i in 0..=9) { }
        for (i in 0..<9) { }
        for (i in 0..9 by 2) { }
        async clocked { }
        try { }
        if a) { }
    }
}
