//! Futures of the contract that are not on the hot path.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use tacho_core::Result;

/// A boxed future, for what is not on the hot path.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The explicit answer of a driver that has none: `None`, an empty list, or nothing done. The traits of
/// the contract have no default methods, so that a decorator cannot forget to forward one.
pub fn no_answer<'a, T: Default + Send + 'a>() -> BoxFuture<'a, Result<T>> {
    Box::pin(async { Ok(T::default()) })
}

/// The answer of `request`; an error says during which operation it happened.
pub fn during<'a, T: 'a>(
    operation: impl Into<Cow<'static, str>> + Send + 'a,
    request: impl Future<Output = Result<T>> + Send + 'a,
) -> BoxFuture<'a, Result<T>> {
    Box::pin(async move { request.await.map_err(|error| error.during(operation)) })
}
