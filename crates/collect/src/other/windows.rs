//! The time of each processor, as Windows counts it.

use windows_sys::Wdk::System::SystemInformation::{
    NtQuerySystemInformation, SystemProcessorPerformanceInformation,
};
use windows_sys::Win32::System::WindowsProgramming::SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;

use crate::CpuTicks;

/// More processors than a group of Windows has.
const MOST: usize = 64;
/// Windows counts in 100 ns, we in ticks of 10 ms.
const UNITS_PER_TICK: i64 = 100_000;

/// The time of each processor since the start; `None` if Windows does not say.
#[expect(unsafe_code, reason = "no crate that we have reads these counters")]
pub(super) fn cores() -> Option<Vec<CpuTicks>> {
    type Information = SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;
    let mut all = [Information::default(); MOST];
    let mut written = 0;
    // SAFETY: the buffer is ours, is made of plain numbers, and its size is the one that is passed.
    let status = unsafe {
        NtQuerySystemInformation(
            SystemProcessorPerformanceInformation,
            all.as_mut_ptr().cast(),
            u32::try_from(size_of_val(&all)).ok()?,
            &raw mut written,
        )
    };
    let count = written as usize / size_of::<Information>();
    let known = all.get(..count).filter(|known| status >= 0 && !known.is_empty())?;
    Some(known.iter().map(ticks).collect())
}

/// The time in the kernel has that in interrupts and the unused time in it.
fn ticks(own: &SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION) -> CpuTicks {
    let ticks = |units: i64| u64::try_from(units / UNITS_PER_TICK).unwrap_or(0);
    let interrupts = own.Reserved1[0].saturating_add(own.Reserved1[1]);
    CpuTicks {
        user: ticks(own.UserTime),
        system: ticks(own.KernelTime - own.IdleTime - interrupts),
        interrupts: ticks(interrupts),
        idle: ticks(own.IdleTime),
        ..CpuTicks::default()
    }
}
