//! The signatures of all methods of drivers, sessions and inspectors. The macros [`answers!`], [`forwards!`] and
//! [`no_answers!`] use them.
//!
//! If a method is added to a trait, the code does not compile until every driver and decorator has this method.
//!
//! [`answers!`]: crate::answers
//! [`forwards!`]: crate::forwards
//! [`no_answers!`]: crate::no_answers

/// Expands to a method of [`crate::Driver`], [`crate::Session`] or [`crate::Inspector`]: its signature and the given
/// body. For example, `signature!(self code(target) { None });` expands to the method `code`. If the arguments start
/// with `@names`, the macro instead passes the names of the method and its arguments to another macro.
#[macro_export]
#[doc(hidden)]
macro_rules! signature {
    (@names $then:ident $given:tt check) => { $crate::$then!($given check(target)); };
    (@names $then:ident $given:tt code) => { $crate::$then!($given code(target)); };
    (@names $then:ident $given:tt runs_code) => { $crate::$then!($given runs_code(setting)); };
    (@names $then:ident $given:tt library) => { $crate::$then!($given library(target)); };
    (@names $then:ident $given:tt remove) => { $crate::$then!($given remove(target)); };
    (@names $then:ident $given:tt settings) => { $crate::$then!($given settings(target)); };
    (@names $then:ident $given:tt collector) => {
        $crate::$then!($given collector(target, environment));
    };
    (@names $then:ident $given:tt deferred_work) => {
        $crate::$then!($given deferred_work(target, environment));
    };
    (@names $then:ident $given:tt simple) => { $crate::$then!($given simple(catalog)); };
    (@names $then:ident $given:tt script) => { $crate::$then!($given script(sql)); };
    (@names $then:ident $given:tt text_rows) => { $crate::$then!($given text_rows(sql)); };
    (@names $then:ident $given:tt load) => { $crate::$then!($given load(table, rows)); };
    (@names $then:ident $given:tt table_parts) => { $crate::$then!($given table_parts(tables)); };
    (@names $then:ident $given:tt obstacles) => { $crate::$then!($given obstacles(tables)); };
    (@names $then:ident $given:tt accepts) => { $crate::$then!($given accepts(schema)); };
    (@names $then:ident $given:tt plan) => { $crate::$then!($given plan(statement, values)); };
    (@names $then:ident $given:tt query_stats) => {
        $crate::$then!($given query_stats(exclusive));
    };
    (@names $then:ident $given:tt $method:ident) => { $crate::$then!($given $method()); };

    // Methods of a driver.
    ($self:ident manifest() $body:block) => {
        fn manifest(&$self) -> &'static $crate::Manifest $body
    };
    ($self:ident capabilities() $body:block) => {
        fn capabilities(&$self) -> $crate::Capabilities $body
    };
    ($self:ident dialect() $body:block) => {
        fn dialect(&$self) -> &dyn $crate::Dialect $body
    };
    ($self:ident scheduling() $body:block) => {
        fn scheduling(&$self) -> $crate::Scheduling $body
    };
    ($self:ident check($target:ident) $body:block) => {
        fn check(&$self, $target: &$crate::Target) -> ::tacho_core::Result<()> $body
    };
    ($self:ident code($target:ident) $body:block) => {
        fn code(&$self, $target: &$crate::Target) -> Option<String> $body
    };
    ($self:ident runs_code($setting:ident) $body:block) => {
        fn runs_code(&$self, $setting: &str) -> bool $body
    };
    ($self:ident library($target:ident) $body:block) => {
        fn library(
            &$self,
            $target: Option<&$crate::Target>,
        ) -> ::tacho_core::Result<Option<String>> $body
    };
    ($self:ident remove($target:ident) $body:block) => {
        fn remove<'a>(&'a $self, $target: &'a $crate::Target) -> $crate::RemovalFuture<'a> $body
    };
    ($self:ident settings($target:ident) $body:block) => {
        fn settings<'a>(&'a $self, $target: &'a $crate::Target) -> $crate::SettingsFuture<'a> $body
    };
    ($self:ident collector($target:ident, $environment:ident) $body:block) => {
        fn collector<'a>(
            &'a $self,
            $target: &'a $crate::Target,
            $environment: $crate::Environment,
        ) -> $crate::CollectorFuture<'a> $body
    };
    ($self:ident deferred_work($target:ident, $environment:ident) $body:block) => {
        fn deferred_work<'a>(
            &'a $self,
            $target: &'a $crate::Target,
            $environment: $crate::Environment,
        ) -> $crate::DeferredWorkFuture<'a> $body
    };

    // Methods of a session.
    ($self:ident simple($catalog:ident) $body:block) => {
        fn simple(
            &mut $self,
            $catalog: ::std::sync::Arc<$crate::Catalog>,
        ) -> $crate::BoxFuture<'_, ::tacho_core::Result<()>> $body
    };
    ($self:ident script($sql:ident) $body:block) => {
        fn script<'a>(
            &'a mut $self,
            $sql: &'a str,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<()>> $body
    };
    ($self:ident text_rows($sql:ident) $body:block) => {
        fn text_rows<'a>(
            &'a mut $self,
            $sql: &'a str,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<$crate::TextRows>> $body
    };
    ($self:ident load($table:ident, $rows:ident) $body:block) => {
        fn load<'a>(
            &'a mut $self,
            $table: &'a ::tacho_core::Table,
            $rows: &'a mut dyn $crate::RowSource,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<u64>> $body
    };
    ($self:ident slow_load() $body:block) => {
        fn slow_load(&$self) -> Option<&'static str> $body
    };
    ($self:ident inspector() $body:block) => {
        fn inspector(&mut $self) -> &mut dyn $crate::Inspector $body
    };
    ($self:ident close() $body:block) => {
        fn close($self: Box<Self>) -> $crate::BoxFuture<'static, ::tacho_core::Result<()>> $body
    };
    ($self:ident drop_set() $body:block) => { $crate::signature!(@asks $self drop_set (()) $body); };

    // Methods of an inspector.
    ($self:ident tables() $body:block) => {
        $crate::signature!(@asks $self tables (Vec<String>) $body);
    };
    ($self:ident objects() $body:block) => {
        $crate::signature!(@asks $self objects (Vec<$crate::Object>) $body);
    };
    ($self:ident facts() $body:block) => {
        $crate::signature!(@asks $self facts ($crate::ServerFacts) $body);
    };
    ($self:ident machine() $body:block) => {
        $crate::signature!(@asks $self machine (Option<$crate::ServerMachine>) $body);
    };
    ($self:ident sizes() $body:block) => {
        $crate::signature!(@asks $self sizes (Option<$crate::DataSizes>) $body);
    };
    ($self:ident counters() $body:block) => {
        $crate::signature!(@asks $self counters (Option<$crate::Counters>) $body);
    };
    ($self:ident headroom() $body:block) => {
        $crate::signature!(@asks $self headroom (Option<$crate::Headroom>) $body);
    };
    ($self:ident privileges() $body:block) => {
        $crate::signature!(@asks $self privileges (Option<$crate::Privileges>) $body);
    };
    ($self:ident server_time() $body:block) => {
        $crate::signature!(@asks $self server_time (Option<::std::time::Duration>) $body);
    };
    ($self:ident table_parts($tables:ident) $body:block) => {
        fn table_parts<'a>(
            &'a mut $self,
            $tables: &'a [&'a str],
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<Vec<$crate::TablePart>>> $body
    };
    ($self:ident obstacles($tables:ident) $body:block) => {
        fn obstacles<'a>(
            &'a mut $self,
            $tables: &'a [&'a $crate::Object],
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<Vec<String>>> $body
    };
    ($self:ident accepts($schema:ident) $body:block) => {
        fn accepts<'a>(
            &'a mut $self,
            $schema: &'a ::tacho_core::Schema,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<()>> $body
    };
    ($self:ident plan($statement:ident, $values:ident) $body:block) => {
        fn plan<'a>(
            &'a mut $self,
            $statement: &'a $crate::Statement,
            $values: &'a $crate::Values,
        ) -> $crate::BoxFuture<'a, ::tacho_core::Result<Option<String>>> $body
    };
    ($self:ident query_stats($exclusive:ident) $body:block) => {
        fn query_stats(
            &mut $self,
            $exclusive: bool,
        ) -> $crate::BoxFuture<'_, ::tacho_core::Result<Option<::tacho_core::QueryStats>>> $body
    };
    (@asks $self:ident $method:ident ($answer:ty) $body:block) => {
        fn $method(&mut $self) -> $crate::BoxFuture<'_, ::tacho_core::Result<$answer>> $body
    };
}
