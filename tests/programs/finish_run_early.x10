/** While an activity that runs on the stack of its finish waits, another one starts activities; they may run on that stack as well. */
public class finish_run_early {
    static class State { var open:Boolean = false; var sum:Long = 0; }
    public static def main(Rail[String]) {
        for (round in 1..200) {
            val state = new State();
            finish {
                async {
                    for (i in 1..6) async { atomic state.sum++; }
                    atomic state.open = true;
                }
                async { when (state.open) state.sum += 100; }
            }
            if (state.sum != 106) Console.OUT.println("not 106 but " + state.sum);
        }
        Console.OUT.println("ok");
    }
}
