# Replaces what a script that is only translated must not do to the world.

rename puts ::hammerdb::puts
proc puts {args} {}
proc exec {args} { return {} }
proc after {args} { return {} }
proc vwait {args} {}
rename file ::hammerdb::file
proc file {what args} {
    if {$what in {delete mkdir rename copy link tempfile}} { return {} }
    return [::hammerdb::file $what {*}$args]
}
rename exit {}
proc exit {args} { return -code error -errorcode {HAMMERDB EXIT} "the script ends" }
rename open ::hammerdb::open
proc open {name {access r} args} {
    if {[string match r* $access] && ![string match *+* $access]} {
        return [::hammerdb::open $name $access]
    }
    return [::hammerdb::open /dev/null w]
}
# Files of databases are neither created nor read.
package provide sqlite3 3
proc sqlite3 {name args} { proc ::$name {args} {} }
proc hdbjobs {args} {}
