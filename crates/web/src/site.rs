//! The shared state from which all responses are generated.
//!
//! Start reading at [`Site::work`].

use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use tacho_app::Context;
use tacho_core::Result;
use tokio::sync::Semaphore;

use crate::access::Token;
use crate::activity::Program;
use crate::answer::{Answer, Refused};
use crate::charts::Charts;
use crate::guard::Guard;
use crate::hub::Hub;
use crate::runs::Runs;

/// Maximum number of concurrent jobs. It is low, so that generating pages does not take too many
/// cores away from a measurement.
const AT_ONCE: usize = 1;
const BOOT_DIGITS: usize = 8;

/// The shared state from which all responses are generated.
pub(crate) struct Site {
    pub(crate) context: Context,
    pub(crate) program: Option<Program>,
    pub(crate) hub: Hub,
    pub(crate) guard: Arc<Guard>,
    pub(crate) runs: Arc<Mutex<Runs>>,
    pub(crate) charts: Mutex<Charts>,
    /// Random prefix of event IDs. It distinguishes the events of this server from those sent
    /// before a restart.
    pub(crate) boot: String,
    work: Semaphore,
}

/// A reference to the site. All requests share the same site.
pub(crate) type Shared = Arc<Site>;

impl Site {
    pub(crate) fn new(
        context: Context,
        program: Option<Program>,
        hub: Hub,
        guard: Arc<Guard>,
    ) -> Result<Shared> {
        let boot = Token::random()?.word().chars().take(BOOT_DIGITS).collect();
        let work = Semaphore::new(AT_ONCE);
        let (runs, charts) = (Arc::default(), Mutex::default());
        Ok(Arc::new(Self { context, program, hub, guard, runs, charts, boot, work }))
    }

    /// Runs a job that reads files or computes, on a thread outside the event loop.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Shared,
        work: impl FnOnce(&Self) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let _place = self.work.acquire().await.map_err(|_| {
            Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "the server is shutting down")
        })?;
        let site = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&site)).await;
        done.map_err(|_| {
            Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "cannot generate the response")
                .hint("this is a bug in Tacho; please report it")
        })?
    }
}
