class A {
    def f() {
        else { }
        catch (e:E) { }
        case 1: x();
    }
}
