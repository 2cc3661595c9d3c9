//! Futures used by the parts of the contract that are not on the hot path.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use tacho_core::Result;

/// A boxed future, for methods that are not on the hot path.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Returns the result of a method that is not supported: `None`, an empty list, or no action. Used instead of default
/// methods, with which a decorator might forget to forward a call.
pub fn no_answer<'a, T: Default + Send + 'a>() -> BoxFuture<'a, Result<T>> {
    Box::pin(async { Ok(T::default()) })
}

/// Runs `request` and adds the operation's name to any error.
pub fn during<'a, T: 'a>(
    operation: impl Into<Cow<'static, str>> + Send + 'a,
    request: impl Future<Output = Result<T>> + Send + 'a,
) -> BoxFuture<'a, Result<T>> {
    Box::pin(async move { request.await.map_err(|error| error.during(operation)) })
}
