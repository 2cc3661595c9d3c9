//! Futures for driver methods that are not on the hot path.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use tacho_core::Result;

/// A boxed future, for methods that are not on the hot path.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Returns the result of an unsupported method: `None`, an empty list, or no action. Traits use it instead of default
/// methods, because a decorator that forgets to forward a method must not compile.
pub fn no_answer<'a, T: Default + Send + 'a>() -> BoxFuture<'a, Result<T>> {
    Box::pin(async { Ok(T::default()) })
}

/// Runs `request`. If it fails, adds the operation's name to the error.
pub fn during<'a, T: 'a>(
    operation: impl Into<Cow<'static, str>> + Send + 'a,
    request: impl Future<Output = Result<T>> + Send + 'a,
) -> BoxFuture<'a, Result<T>> {
    Box::pin(async move { request.await.map_err(|error| error.during(operation)) })
}
