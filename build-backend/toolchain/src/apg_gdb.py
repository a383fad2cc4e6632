# X10 in gdb: `apg run --debugger` starts gdb with this. Values as X10 shows them, functions by their X10 names, frames of the
# runtime left out of `bt`; `xlocals` and `xprint NAME` know variables by the names that the program gives them.
import re

import gdb
import gdb.printing
from gdb.FrameDecorator import FrameDecorator

RAIL, STRING, BOXED = 1, 2, 3
MOST = 50
# By apg_slot: the C type of a value in memory.
SLOTS = ["bool", "signed char", "short", "int", "long long", "unsigned char", "unsigned short", "unsigned int",
         "unsigned long long", "float", "double"]
# Functions, those of kernels, kernels on a device, and kernels on a CPU.
FUNCTION = re.compile(r"^(?:k?F|K|run_K)_(.+)_[0-9a-f]{8}(?:<\w+>)?(?:\(.*)?$")
VARIABLE = re.compile(r"^v\d+_(.+)$")
# Formals that the program does not have: a closure's own object.
GENERATED = ("closure",)


def dotted(name):
    """`Foo_work__hard` is how `Foo.work_hard` is written in symbols."""
    return "_".join(part.replace("_", ".") for part in name.split("__"))


def descriptor(address):
    """The type of the object there, or None if there is no such object."""
    pointer = gdb.lookup_type("apg_object").pointer()
    return gdb.Value(address).cast(pointer).dereference()["type"].dereference()


def text(value):
    return value.string(errors="replace")


def number(address, kind):
    return gdb.Value(address).cast(gdb.lookup_type(kind).pointer()).dereference()


def slot(address, kind, struct, depth):
    if kind < len(SLOTS):
        value = number(address, SLOTS[kind])
        if kind == 0:
            return "true" if value else "false"
        # Small numbers are not characters.
        return str(int(value)) if kind < 9 else str(value)
    if kind == 11:
        return repr(chr(int(number(address, "unsigned int"))))
    if kind == 12:
        return shown(int(number(address, "unsigned long long")), depth + 1)
    return fields(address, struct.dereference(), depth + 1) if int(struct) else "?"


def fields(start, ty, depth):
    name = text(ty["name"])
    if depth > 2:
        return name + "(...)"
    all = (ty["fields"][index] for index in range(int(ty["field_count"])))
    parts = (text(it["name"]) + "=" + slot(start + int(it["offset"]), int(it["slot"]), it["type"], depth)
             for it in all)
    return "%s(%s)" % (name, ", ".join(parts))


def shown(address, depth=0):
    """The object there as text."""
    if address == 0:
        return "null"
    try:
        ty = descriptor(address)
        kind, size = int(ty["kind"]), int(ty["size"])
        if kind == STRING:
            length = int(number(address + 8, "long long"))
            bytes = gdb.selected_inferior().read_memory(address + 16, min(length, 1000)).tobytes()
            return '"' + bytes.decode("utf-8", "replace") + ('"' if length <= 1000 else '"...')
        if kind == RAIL:
            length = int(number(address + 8, "long long"))
            parts = []
            if depth < 3:
                step = int(ty["element_size"])
                for index in range(min(length, MOST)):
                    parts.append(slot(address + size + index * step, int(ty["element_slot"]), ty["element"], depth))
            more = ["..."] if length > len(parts) else []
            return "%s(%d) [%s]" % (text(ty["name"]), length, ", ".join(parts + more))
        return fields(address, ty, depth)
    except (gdb.MemoryError, gdb.error):
        return "<no object at 0x%x>" % address


class Object:
    """A reference, printed."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return shown(int(self.value))


def printer(value):
    ty = value.type.strip_typedefs()
    if ty.code != gdb.TYPE_CODE_PTR:
        return None
    return Object(value) if ty.target().unqualified().strip_typedefs().name == "apg_object" else None


gdb.pretty_printers.insert(0, printer)


class Elements:
    """Elements behind a pointer, as a kernel has rails."""

    def __init__(self, pointer, length):
        self.pointer, self.length = pointer, int(length)

    def format_string(self):
        shown = [str(self.pointer[index]) for index in range(min(self.length, MOST))]
        more = ["..."] if self.length > len(shown) else []
        return "(%d) [%s]" % (self.length, ", ".join(shown + more))


def symbols(frame):
    """Names and symbols of what the frame's function has in scope, innermost last."""
    block, blocks = frame.block(), []
    while block is not None:
        blocks.append(block)
        if block.function is not None:
            break
        block = block.superblock
    return {symbol.name: symbol for block in reversed(blocks) for symbol in block
            if symbol.is_variable or symbol.is_argument}


def variables(frame):
    """X10 names and values of what the frame's function has, innermost last. Of a kernel on a CPU: what the thread has that the
    loop over threads has come to."""
    found, all = {}, symbols(frame)
    for name, symbol in all.items():
        match = VARIABLE.match(name)
        # A wide copy of a number, an offset, the length of a rail.
        is_companion = name[-2:] in ("_w", "_u", "_n") and (name[:-2] in all or name[:-1] in all)
        if not match or is_companion or match.group(1) in GENERATED:
            continue
        value = symbol.value(frame)
        if name + "_n" not in all:
            found[match.group(1)] = value
        elif name.endswith("_") and "r_" in all:
            # A local of each thread that lives across barriers.
            found[match.group(1)[:-1]] = value[int(all["r_"].value(frame))]
        else:
            found[match.group(1)] = Elements(value, all[name + "_n"].value(frame))
    return found


class Frame(FrameDecorator):
    """A frame under its X10 name."""

    def function(self):
        name = super().function()
        match = FUNCTION.match(name) if isinstance(name, str) else None
        return dotted(match.group(1)) if match else name

    def frame_args(self):
        return None

    def frame_locals(self):
        return None


class Frames:
    """Leaves out of `bt` what is not of the program (`bt -no-filters` shows it)."""

    def __init__(self):
        self.name, self.priority, self.enabled = "apg", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        for frame in frames:
            line, name = frame.inferior_frame().find_sal(), frame.inferior_frame().name() or ""
            is_x10 = line.symtab is not None and line.symtab.filename.endswith(".x10")
            if is_x10 and not name.startswith(("cpu_K_", "configure_K_", "proven_K_")):
                yield Frame(frame)


Frames()


class Locals(gdb.Command):
    """Variables of the selected frame by their X10 names."""

    def __init__(self):
        super().__init__("xlocals", gdb.COMMAND_STACK)

    def invoke(self, argument, from_terminal):
        for name, value in variables(gdb.selected_frame()).items():
            print("%s = %s" % (name, value.format_string()))


class Print(gdb.Command):
    """The value of a variable by its X10 name: xprint NAME"""

    def __init__(self):
        super().__init__("xprint", gdb.COMMAND_DATA)

    def invoke(self, argument, from_terminal):
        found = variables(gdb.selected_frame())
        if argument not in found:
            raise gdb.GdbError("no variable `%s` here; there are: %s" % (argument, ", ".join(found)))
        print("%s = %s" % (argument, found[argument].format_string()))


class Value(gdb.Function):
    """$x("NAME"): the value of a variable by its X10 name, for conditions: break FILE:LINE if $x("t") == 5"""

    def __init__(self):
        super().__init__("x")

    def invoke(self, name):
        found = variables(gdb.selected_frame())
        value = found.get(name.string())
        if value is None or isinstance(value, Elements):
            raise gdb.GdbError("no number `%s` here; there are: %s" % (name.string(), ", ".join(found)))
        return value


def show_thread(event):
    """Says, where a kernel stops on a CPU, which of its threads has come to the line."""
    frame = gdb.selected_frame()
    match = FUNCTION.match(frame.name() or "")
    if match and frame.function() is not None:
        all = symbols(frame)
        if "block_" in all and "r_" in all:
            block, thread = (all[name].value(frame) for name in ("block_", "r_"))
            print("in %s: block %s, thread %s" % (dotted(match.group(1)), block, thread))


gdb.events.stop.connect(show_thread)
Locals()
Print()
Value()
gdb.execute("set print thread-events off")
gdb.execute("set print entry-values no")
