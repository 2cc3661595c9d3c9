//! The time counters of each processor on Windows.

use windows_sys::Wdk::System::SystemInformation::{
    NtQuerySystemInformation, SystemProcessorPerformanceInformation,
};
use windows_sys::Win32::System::WindowsProgramming::SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;

use crate::CpuTicks;

/// Maximum number of processors in a Windows processor group.
const MOST: usize = 64;
/// Length of a Tacho tick in Windows units: a tick is 10 ms, and Windows counts in units of 100 ns.
const UNITS_PER_TICK: i64 = 100_000;

/// Returns each processor's time since the machine started, or `None` if Windows does not report it.
#[expect(unsafe_code, reason = "no dependency reads these counters")]
pub(super) fn cores() -> Option<Vec<CpuTicks>> {
    type Information = SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;
    let mut all = [Information::default(); MOST];
    let mut written = 0;
    // SAFETY: the buffer is a local array of plain numbers, and the size passed is the size of that array.
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

/// Converts the counters of one processor. Windows includes interrupt and idle time in the kernel time, so both are
/// subtracted.
fn ticks(processor: &SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION) -> CpuTicks {
    let ticks = |units: i64| u64::try_from(units / UNITS_PER_TICK).unwrap_or(0);
    let interrupts = processor.Reserved1[0].saturating_add(processor.Reserved1[1]);
    CpuTicks {
        user: ticks(processor.UserTime),
        system: ticks(processor.KernelTime - processor.IdleTime - interrupts),
        interrupts: ticks(interrupts),
        idle: ticks(processor.IdleTime),
        ..CpuTicks::default()
    }
}
