//! The explicit "no answer" of a driver, for several methods at once.
//!
//! The traits of the contract have no default methods, so each method without an answer is named. Start reading at
//! [`no_answers!`](crate::no_answers).

/// Methods of [`crate::Driver`], [`crate::Session`] and [`crate::Inspector`] for which a database has no answer, such as
/// `no_answers!(machine, sizes);` within the implementation: `None`, an empty list, or nothing done.
#[macro_export]
macro_rules! no_answers {
    // Of a driver.
    (@ library) => {
        fn library(&self, _: Option<&$crate::Target>) -> ::tacho_core::Result<Option<String>> {
            Ok(None)
        }
    };
    (@ code) => {
        fn code(&self, _: &$crate::Target) -> Option<String> {
            None
        }
    };
    (@ remove) => {
        fn remove<'a>(&'a self, _: &'a $crate::Target) -> $crate::RemovalFuture<'a> {
            $crate::no_answer()
        }
    };
    (@ collector) => {
        fn collector<'a>(
            &'a self,
            _: &'a $crate::Target,
            _: $crate::Environment,
        ) -> $crate::CollectorFuture<'a> {
            $crate::no_answer()
        }
    };
    (@ settings) => {
        fn settings<'a>(&'a self, _: &'a $crate::Target) -> $crate::SettingsFuture<'a> {
            $crate::no_answer()
        }
    };
    (@ deferred_work) => {
        fn deferred_work<'a>(
            &'a self,
            _: &'a $crate::Target,
            _: $crate::Environment,
        ) -> $crate::DeferredWorkFuture<'a> {
            $crate::no_answer()
        }
    };
    // Of a session.
    (@ slow_load) => {
        fn slow_load(&self) -> Option<&'static str> {
            None
        }
    };
    (@ drop_set) => { $crate::no_answers!(@@ drop_set: ()); };
    // Of an inspector.
    (@ tables) => { $crate::no_answers!(@@ tables: Vec<String>); };
    (@ objects) => { $crate::no_answers!(@@ objects: Vec<$crate::Object>); };
    (@ machine) => { $crate::no_answers!(@@ machine: Option<$crate::ServerMachine>); };
    (@ sizes) => { $crate::no_answers!(@@ sizes: Option<$crate::DataSizes>); };
    (@ counters) => { $crate::no_answers!(@@ counters: Option<$crate::Counters>); };
    (@ headroom) => { $crate::no_answers!(@@ headroom: Option<$crate::Headroom>); };
    (@ privileges) => { $crate::no_answers!(@@ privileges: Option<$crate::Privileges>); };
    (@ server_time) => { $crate::no_answers!(@@ server_time: Option<::std::time::Duration>); };
    (@ table_parts) => {
        fn table_parts<'a>(
            &'a mut self,
            _: &'a [&'a str],
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<Vec<$crate::TablePart>>> {
            $crate::no_answer()
        }
    };
    (@ obstacles) => {
        fn obstacles<'a>(
            &'a mut self,
            _: &'a [&'a $crate::Object],
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<Vec<String>>> {
            $crate::no_answer()
        }
    };
    (@ accepts) => {
        fn accepts<'a>(
            &'a mut self,
            _: &'a ::tacho_core::Schema,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<()>> {
            $crate::no_answer()
        }
    };
    (@ plan) => {
        fn plan<'a>(
            &'a mut self,
            _: &'a $crate::Statement,
            _: &'a $crate::Values,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<Option<String>>> {
            $crate::no_answer()
        }
    };
    (@ query_stats) => {
        fn query_stats(
            &mut self,
            _: bool,
        ) -> $crate::BoxFuture<'_, ::tacho_core::Result<Option<::tacho_core::QueryStats>>> {
            $crate::no_answer()
        }
    };
    (@@ $method:ident: $answer:ty) => {
        fn $method(&mut self) -> $crate::BoxFuture<'_, ::tacho_core::Result<$answer>> {
            $crate::no_answer()
        }
    };
    ($($method:ident),+ $(,)?) => { $($crate::no_answers!(@ $method);)+ };
}
