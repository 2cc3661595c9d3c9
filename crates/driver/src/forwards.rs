//! What a decorator passes on unchanged, for several methods at once.
//!
//! Each method is named, so that one that is added to a trait does not compile until every decorator names it. Start
//! reading at [`forwards!`](crate::forwards).

/// Methods of [`crate::Driver`] or [`crate::Session`] that a decorator passes on to a field, such as
/// `forwards!(inner: script, load);` within the implementation.
#[macro_export]
macro_rules! forwards {
    // Of a driver.
    (@ $inner:ident manifest) => { $crate::forwards!(@@ $inner manifest &'static $crate::Manifest); };
    (@ $inner:ident capabilities) => { $crate::forwards!(@@ $inner capabilities $crate::Capabilities); };
    (@ $inner:ident dialect) => { $crate::forwards!(@@ $inner dialect &dyn $crate::Dialect); };
    (@ $inner:ident scheduling) => { $crate::forwards!(@@ $inner scheduling $crate::Scheduling); };
    (@ $inner:ident check) => {
        fn check(&self, target: &$crate::Target) -> ::tacho_core::Result<()> {
            self.$inner.check(target)
        }
    };
    (@ $inner:ident code) => {
        fn code(&self, target: &$crate::Target) -> Option<String> {
            self.$inner.code(target)
        }
    };
    (@ $inner:ident library) => {
        fn library(&self, target: Option<&$crate::Target>) -> ::tacho_core::Result<Option<String>> {
            self.$inner.library(target)
        }
    };
    (@ $inner:ident remove) => {
        fn remove<'a>(&'a self, target: &'a $crate::Target) -> $crate::RemovalFuture<'a> {
            self.$inner.remove(target)
        }
    };
    (@ $inner:ident collector) => {
        fn collector<'a>(
            &'a self,
            target: &'a $crate::Target,
            environment: $crate::Environment,
        ) -> $crate::CollectorFuture<'a> {
            self.$inner.collector(target, environment)
        }
    };
    (@ $inner:ident settings) => {
        fn settings<'a>(&'a self, target: &'a $crate::Target) -> $crate::SettingsFuture<'a> {
            self.$inner.settings(target)
        }
    };
    (@ $inner:ident deferred_work) => {
        fn deferred_work<'a>(
            &'a self,
            target: &'a $crate::Target,
            environment: $crate::Environment,
        ) -> $crate::DeferredWorkFuture<'a> {
            self.$inner.deferred_work(target, environment)
        }
    };
    // Of a session.
    (@ $inner:ident simple) => {
        fn simple(
            &mut self,
            catalog: ::std::sync::Arc<$crate::Catalog>,
        ) -> $crate::BoxFuture<'_, ::tacho_core::Result<()>> {
            self.$inner.simple(catalog)
        }
    };
    (@ $inner:ident script) => {
        fn script<'a>(
            &'a mut self,
            sql: &'a str,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<()>> {
            self.$inner.script(sql)
        }
    };
    (@ $inner:ident text_rows) => {
        fn text_rows<'a>(
            &'a mut self,
            sql: &'a str,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<$crate::TextRows>> {
            self.$inner.text_rows(sql)
        }
    };
    (@ $inner:ident load) => {
        fn load<'a>(
            &'a mut self,
            table: &'a ::tacho_core::Table,
            rows: &'a mut dyn $crate::RowSource,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<u64>> {
            self.$inner.load(table, rows)
        }
    };
    (@ $inner:ident slow_load) => { $crate::forwards!(@@ $inner slow_load Option<&'static str>); };
    (@ $inner:ident drop_set) => {
        fn drop_set(&mut self) -> $crate::BoxFuture<'_, ::tacho_core::Result<()>> {
            self.$inner.drop_set()
        }
    };
    (@ $inner:ident inspector) => {
        fn inspector(&mut self) -> &mut dyn $crate::Inspector {
            self.$inner.inspector()
        }
    };
    (@ $inner:ident close) => {
        fn close(self: Box<Self>) -> $crate::BoxFuture<'static, ::tacho_core::Result<()>> {
            self.$inner.close()
        }
    };
    (@@ $inner:ident $method:ident $answer:ty) => {
        fn $method(&self) -> $answer {
            self.$inner.$method()
        }
    };
    ($inner:ident: $($method:ident),+ $(,)?) => { $($crate::forwards!(@ $inner $method);)+ };
}
