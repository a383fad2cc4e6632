//! Registers on the stack, where a conservative scan finds them.

/// Calls `work` with an address below which nothing of the callers is, while the registers that calls
/// preserve are stored above it.
#[inline(never)]
pub(crate) fn with_registers_on_stack(work: impl FnOnce(usize)) {
    let mut registers = [0_usize; 16];
    // SAFETY: stores registers into the array.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::asm!(
            "mov [{0}], rbx", "mov [{0} + 8], rbp", "mov [{0} + 16], r12",
            "mov [{0} + 24], r13", "mov [{0} + 32], r14", "mov [{0} + 40], r15",
            in(reg) registers.as_mut_ptr(),
        );
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!(
            "stp x19, x20, [{0}]", "stp x21, x22, [{0}, 16]", "stp x23, x24, [{0}, 32]",
            "stp x25, x26, [{0}, 48]", "stp x27, x28, [{0}, 64]", "str x29, [{0}, 80]",
            in(reg) registers.as_mut_ptr(),
        );
    }
    work(std::hint::black_box(registers.as_ptr()) as usize);
    std::hint::black_box(&registers);
}
