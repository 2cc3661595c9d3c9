//! A macro that implements several methods of an inspector at once.
//!
//! The macro also contains the error messages, so that they are the same for every database. Start reading at
//! [`answers!`](crate::answers).

/// Implements the [`crate::Inspector`] methods that a database supports. Example: `answers! { self; tables =>
/// facts::tables(&mut self.link).await; }`. The body of each method is an expression in an `async` block. The names of
/// any arguments follow the name of the method.
#[macro_export]
macro_rules! answers {
    (@question tables) => { "list the tables" };
    (@question objects) => { "list tables and routines" };
    (@question table_parts $tables:ident) => { "list the parts of the tables" };
    (@question obstacles $tables:ident) => { "list the objects that depend on the tables" };
    (@question facts) => { "read the settings" };
    (@question machine) => { "read the server's machine" };
    (@question sizes) => { "read the sizes of the tables" };
    (@question counters) => { "read the server's counters" };
    (@question headroom) => { "read the number of available sessions" };
    (@question privileges) => { "read the privileges" };
    (@question server_time) => { "read the server's date" };
    (@question plan $statement:ident $values:ident) => { format!("explain {}", $statement.name) };
    (@question query_stats $exclusive:ident) => { "read the query statistics" };
    ($self:ident; $($method:ident $(($($argument:ident),+))? => $answer:expr;)+) => {
        $($crate::answers!(@ $self $method ($($($argument),+)?) $answer);)+
    };
    (@ $self:ident $method:ident ($($argument:ident),*) $answer:expr) => {
        $crate::signature!($self $method($($argument),*) {
            $crate::during(
                $crate::answers!(@question $method $($argument)*),
                async move { $answer },
            )
        });
    };
}
