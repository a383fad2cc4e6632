class A {
    val a = x as Foo(3);
    val b = x as Foo(3).bar;
    val c = (x as Foo)(3);
    val d = -x as T as U;
    val e = x as (T)=>U;
}
