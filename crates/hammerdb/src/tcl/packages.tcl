# The packages that a saved driver script of HammerDB asks for, answered by our drivers: Pgtcl, mysqltcl, mariatcl,
# and the helpers of tpcccommon and tpchcommon. ::hammerdb::ask sql opens a session, runs a statement, and ends it;
# ::hammerdb::ask share keeps values that all virtual users of a run share, as the tsv of Tcl's threads does.

proc ::hammerdb::sql {args} { return [::hammerdb::ask sql {*}$args] }
proc ::hammerdb::share {args} { return [::hammerdb::ask share {*}$args] }

# Values of a connection string, as PostgreSQL's library reads it: key = value, in quotes where it has blanks.
proc ::hammerdb::conninfo {text} {
    set found {}
    foreach {all key quoted plain} [regexp -all -inline {(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|([^\s']\S*))} $text] {
        if {$plain eq {{}}} { set plain {} }
        dict set found $key [expr {$plain ne {} ? $plain : [string map {\\' ' \\\\ \\} $quoted]}]
    }
    return $found
}
proc ::hammerdb::literal {value} { return '[string map {' ''} $value]' }

# ---- Pgtcl
namespace eval ::hammerdb::pg { variable results; array set results {}; variable count 0 }
proc pg_connect {args} {
    if {[lindex $args 0] eq "-conninfo"} {
        set values [::hammerdb::conninfo [lindex $args 1]]
    } elseif {[lindex $args 0] eq "-connlist"} {
        set values [lindex $args 1]
    } else {
        set values [dict create dbname [lindex $args 0]]
        foreach {key value} [lrange $args 1 end] { dict set values [string trimleft $key -] $value }
    }
    return [::hammerdb::sql open postgres {*}$values]
}
proc pg_disconnect {session} { ::hammerdb::sql close $session }
proc pg_notice_handler {args} {}
proc pg_conndefaults {} {}
proc pg_quote {text} { return [::hammerdb::literal $text] }
proc pg_escape_string {text} { return [string map {' ''} $text] }
proc pg_exec {session sql args} {
    variable ::hammerdb::pg::count
    set map {}
    # $10 before $1.
    foreach value $args { set map [linsert $map 0 \$[incr place] [::hammerdb::literal $value]] }
    set sql [string map $map $sql]
    if {[catch {::hammerdb::sql rows $session $sql} found]} { set found [list error $found] }
    set name pgresult[incr count]
    set ::hammerdb::pg::results($name) $found
    return $name
}
proc pg_exec_prepared {session name formats kinds args} {
    set values {}
    foreach value $args { lappend values [::hammerdb::literal $value] }
    return [pg_exec $session "EXECUTE $name[expr {$values eq {} ? {} : "([join $values {, }])"}]"]
}
proc pg_execute {args} {
    set array {}
    while {[string match -* [lindex $args 0]]} {
        if {[lindex $args 0] eq "-array"} { set array [lindex $args 1] }
        set args [lrange $args 2 end]
    }
    lassign $args session sql body
    lassign [::hammerdb::sql rows $session $sql] columns rows changed
    foreach row $rows {
        foreach column $columns value $row {
            if {$array eq {}} { upvar 1 $column to } else { upvar 1 ${array}($column) to }
            set to $value
        }
        if {$body ne {}} { uplevel 1 $body }
    }
    return [expr {$columns eq {} ? $changed : [llength $rows]}]
}
proc pg_select {session sql array body} {
    upvar 1 $array row
    lassign [::hammerdb::sql rows $session $sql] columns rows
    set row(.headers) $columns
    set row(.numcols) [llength $columns]
    set place -1
    foreach values $rows {
        set row(.tupno) [incr place]
        foreach column $columns value $values { set row($column) $value }
        set code [catch {uplevel 1 $body} text options]
        if {$code == 3} break
        if {$code ni {0 4}} { return -options $options $text }
    }
}
proc pg_result {name option args} {
    upvar #0 ::hammerdb::pg::results($name) found
    if {![info exists found]} { error "$name is not a valid query result" }
    set failed [expr {[lindex $found 0] eq "error" && [llength $found] == 2}]
    lassign $found columns rows changed
    if {$failed} { set columns {}; set rows {}; set changed 0 }
    switch -- $option {
        -status {
            if {$failed} { return PGRES_FATAL_ERROR }
            return [expr {$columns eq {} ? {PGRES_COMMAND_OK} : {PGRES_TUPLES_OK}}]
        }
        -error { return [expr {$failed ? [lindex $found 1] : {}}] }
        -clear { unset found; return }
        -numTuples { return [llength $rows] }
        -cmdTuples { return $changed }
        -numAttrs { return [llength $columns] }
        -attributes { return $columns }
        -getTuple { return [lindex $rows [lindex $args 0]] }
        -llist { return $rows }
        -list { return [concat {*}$rows] }
        -tupleArray {
            upvar 1 [lindex $args 1] row
            foreach column $columns value [lindex $rows [lindex $args 0]] { set row($column) $value }
            return
        }
        -assign {
            upvar 1 [lindex $args 0] all
            set place -1
            foreach row $rows {
                incr place
                foreach column $columns value $row { set all($place,$column) $value }
            }
            return
        }
    }
    error "pg_result $option is not supported by Tacho"
}
package provide Pgtcl 3.1

# ---- mysqltcl and mariatcl, which differ by their names only
proc ::hammerdb::my_connect {scheme args} {
    set values {}
    foreach {key value} $args {
        set key [string trimleft $key -]
        # Character sets and flags of the library have no counterpart; TLS has one, and is not left out.
        switch -- $key {
            host - port - socket - user { dict set values $key $value }
            password { dict set values password $value }
            db { dict set values database $value }
            ssl { if {[string is true -strict $value]} { dict set values ssl-mode required } }
            sslca { dict set values ssl-ca $value; dict set values ssl-mode verify-ca }
            sslcert { dict set values ssl-cert $value }
            sslkey { dict set values ssl-key $value }
        }
    }
    if {[dict exists $values socket]} { set values [dict remove $values host port] }
    return [::hammerdb::sql open $scheme {*}$values]
}
proc ::hammerdb::my_rows {session sql} { return [lindex [::hammerdb::sql rows $session $sql] 1] }
foreach {::hammerdb::name ::hammerdb::scheme} {mysql mysql maria mariadb} {
    namespace eval ::$::hammerdb::name {}
    set ::hammerdb::commands [string map [list @name@ $::hammerdb::name @scheme@ $::hammerdb::scheme] {
        proc ::@name@::connect {args} { return [::hammerdb::my_connect @scheme@ {*}$args] }
        proc ::@name@::close {args} { foreach session $args { ::hammerdb::sql close $session } }
        proc ::@name@::use {session name} { ::hammerdb::sql rows $session "USE `$name`"; return }
        proc ::@name@::exec {session sql} {
            lassign [::hammerdb::sql rows $session $sql] columns rows changed
            return $changed
        }
        proc ::@name@::autocommit {session on} {
            ::hammerdb::sql rows $session "SET autocommit = [string is true -strict $on]"
            return
        }
        proc ::@name@::commit {session} { ::hammerdb::sql rows $session COMMIT; return }
        proc ::@name@::rollback {session} { ::hammerdb::sql rows $session ROLLBACK; return }
        proc ::@name@::escape {args} { return [string map {\\ \\\\ ' \\' \" \\\"} [lindex $args end]] }
        proc ::@name@::sel {session sql {how {}}} {
            set rows [::hammerdb::my_rows $session $sql]
            set ::hammerdb::selected($session) $rows
            switch -- $how {
                -list { return $rows }
                -flatlist { return [concat {*}$rows] }
            }
            return [llength $rows]
        }
        proc ::@name@::fetch {session} {
            set row [lindex $::hammerdb::selected($session) 0]
            set ::hammerdb::selected($session) [lrange $::hammerdb::selected($session) 1 end]
            return $row
        }
        proc ::@name@::map {session names body} {
            foreach row $::hammerdb::selected($session) { uplevel 1 [list lassign $row {*}$names]; uplevel 1 $body }
        }
        proc ::@name@::ping {session} { expr {![catch {::hammerdb::sql rows $session "SELECT 1"}]} }
        foreach {short long} {
            connect connect close close use use exec exec sel sel next fetch map map escape escape ping ping
        } { interp alias {} @name@$short {} ::@name@::$long }
        interp alias {} ::@name@::receive {} ::@name@::sel
    }]
    eval $::hammerdb::commands
}
package provide mysqltcl 3.052
package provide mariatcl 3.052

# ---- what virtual users share
namespace eval ::tsv {
    proc set {array key args} {
        if {$args eq {}} { return [get $array $key] }
        return [::hammerdb::share set "$array $key" [lindex $args 0]]
    }
    proc get {array key args} {
        if {$args eq {}} { return [::hammerdb::share get "$array $key"] }
        if {![exists $array $key]} { return 0 }
        upvar 1 [lindex $args 0] to
        ::set to [::hammerdb::share get "$array $key"]
        return 1
    }
    proc exists {array key} { return [::hammerdb::share exists "$array $key"] }
    proc incr {array key {by 1}} { return [::hammerdb::share incr "$array $key" $by] }
    proc unset {array key} { ::hammerdb::share unset "$array $key" }
}
if {![::tsv::exists application abort]} { ::tsv::set application abort 0 }

# ---- tpcccommon and tpchcommon
namespace eval ::tpcccommon {
    namespace export *
    proc chk_thread {} { return TRUE }
    proc findvuposition {} { return [list $::hammerdb::user $::hammerdb::users] }
    proc RandomNumber {m M} { return [expr {int($m + rand() * ($M + 1 - $m))}] }
    proc NURand {A x y C} {
        return [expr {(([RandomNumber 0 $A] | [RandomNumber $x $y]) + $C) % ($y - $x + 1) + $x}]
    }
    proc randname {number} {
        set syllables {BAR OUGHT ABLE PRI PRES ESE ANTI CALLY ATION EING}
        foreach place {100 10 1} { append name [lindex $syllables [expr {$number / $place % 10}]] }
        return $name
    }
    proc Lastname {number {names {}}} { return [randname $number] }
    proc gettimestamp {} { return [clock format [clock seconds] -format %Y%m%d%H%M%S] }
    proc keytime {seconds} { after [expr {int($seconds * 1000)}] }
    proc thinktime {mean} { after [expr {1000 * abs(round(log(1 - rand()) * $mean))}] }
}
namespace eval ::tpchcommon {
    namespace export *
    proc chk_thread {} { return TRUE }
    proc findvuposition {} { return [list $::hammerdb::user $::hammerdb::users] }
    proc RandomNumber {m M} { return [expr {int($m + rand() * ($M + 1 - $m))}] }
    proc gettimestamp {} { return [clock format [clock seconds] -format %Y%m%d%H%M%S] }
}
package provide tpcccommon 1.0
package provide tpchcommon 1.0
