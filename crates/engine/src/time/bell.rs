//! Wakes an event loop at a given time. On Linux, this is done by a kernel timer. On other systems, it is done by the
//! loop's own timer.

use std::task::{Context, Poll};
use std::time::Duration;

#[cfg(target_os = "linux")]
pub(super) use linux::Bell;
#[cfg(not(target_os = "linux"))]
pub(super) use portable::Bell;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::OwnedFd;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::unix::AsyncFd;

    use super::{Context, Duration, Poll, portable};

    /// A kernel timer or, if none is available, the event loop's less precise timer.
    pub(in crate::time) struct Bell {
        timer: Option<AsyncFd<OwnedFd>>,
        coarse: portable::Bell,
    }

    /// Registers a timer with the event loop.
    #[expect(unsafe_code, reason = "the event loop offers no safe way to watch a descriptor")]
    fn registered(timer: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
        // SAFETY: the returned value owns the file descriptor and lends only shared references to it, so the descriptor
        // stays open while it is registered.
        unsafe { AsyncFd::register(timer) }.ok()
    }

    impl Bell {
        pub(in crate::time) fn new() -> Self {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let timer = timerfd_create(TimerfdClockId::Monotonic, flags).ok();
            let timer = timer.and_then(registered);
            Self { timer, coarse: portable::Bell::new() }
        }

        /// Returns `Ready` once `span` has elapsed. After a wake-up, the caller polls again with the remaining time as
        /// `span`.
        pub(in crate::time) fn poll(
            &mut self,
            span: Duration,
            context: &mut Context<'_>,
        ) -> Poll<()> {
            let Some(timer) = &self.timer else { return self.coarse.poll(span, context) };
            if span.is_zero() {
                return Poll::Ready(());
            }
            let value = Timespec {
                tv_sec: span.as_secs().min(i64::MAX as u64) as i64,
                tv_nsec: span.subsec_nanos().into(),
            };
            let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
            let spec = Itimerspec { it_interval: zero, it_value: value };
            // Setting the timer also clears any earlier expiration that has not been read yet.
            let set = timerfd_settime(timer.get_ref(), TimerfdTimerFlags::empty(), &spec);
            if set.is_err() {
                return self.coarse.poll(span, context);
            }
            loop {
                match timer.poll_read_ready(context) {
                    Poll::Ready(Ok(mut guard)) => guard.clear_ready(),
                    Poll::Ready(Err(_)) => return self.coarse.poll(span, context),
                    Poll::Pending => return Poll::Pending,
                }
            }
        }
    }
}

mod portable {
    use std::future::Future;
    use std::pin::Pin;

    use tokio::time::{Instant, Sleep, sleep};

    use super::{Context, Duration, Poll};

    /// The event loop's own timer, which rounds up to milliseconds.
    pub(in crate::time) struct Bell {
        sleep: Option<Pin<Box<Sleep>>>,
    }

    impl Bell {
        pub(in crate::time) fn new() -> Self {
            Self { sleep: None }
        }

        pub(in crate::time) fn poll(
            &mut self,
            span: Duration,
            context: &mut Context<'_>,
        ) -> Poll<()> {
            let span = span.min(Duration::from_hours(24));
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(span)));
            sleep.as_mut().reset(Instant::now() + span);
            sleep.as_mut().poll(context)
        }
    }
}
