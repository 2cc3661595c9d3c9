# What a script finds beside the commands of the console.

# Lines are seen as they come, also through a pipe.
# A terminal makes the ends of lines itself.
fconfigure stdout -buffering line -translation lf
# Tcl 9 would end a script at a letter that the terminal does not have; 8.6 writes a question mark.
foreach channel {stdout stderr} { catch { fconfigure $channel -profile replace } }
unset channel

set tcl_interactive 0

# Scripts write their files to the folder that HammerDB's wrappers name in TMP.
if {![info exists ::env(TMP)]} { set ::env(TMP) [findtempdir] }

# The end of the process ends in good order what still goes on.
rename exit ::hammerdb::exit
proc exit {{code {}}} {
    puts "Shutting down HammerDB CLI"
    set code [::hammerdb::leave $code]
    catch {flush stdout}
    ::hammerdb::exit $code
}
proc quit {} { exit }

# Procedures of HammerDB that scripts call beside its commands. vurun waits for the end of a run: nothing else has to.
proc putscli {text} { puts $text }
proc guid {} { return [string toupper [format %08llx%04x%012llx [clock seconds] [expr {int(rand() * 65536)}] [expr {[clock clicks] & 0xffffffffffff}]]] }
proc keepalive {} {}
proc _waittocomplete {} {}
proc _runtimer {seconds} {}

# HammerDB contains the package sqlite3, with which scripts read the job database. Here, the package is the system's.
set ::hammerdb::finder [package unknown]
package unknown ::hammerdb::find_package
proc ::hammerdb::find_package {name args} {
    if {$::hammerdb::finder ne {}} { uplevel #0 [list {*}$::hammerdb::finder $name {*}$args] }
    if {$name eq {sqlite3} && [package versions sqlite3] eq {}} {
        error "the Tcl package sqlite3 is not installed; hint: install it (Debian: apt-get install libsqlite3-tcl), or\
            use the command jobs; Python and the program sqlite3 can read the job database too"
    }
}
proc sqlite3 {args} {
    package require sqlite3
    uplevel 1 [list ::sqlite3 {*}$args]
}
proc hdbjobs {args} {
    set path [::hammerdb::job_database]
    package require sqlite3
    ::sqlite3 ::hdbjobs $path
    ::hdbjobs timeout 5000
    uplevel 1 [list ::hdbjobs {*}$args]
}

# What the transaction counter and the metrics say comes while a script waits for events.
proc ::hammerdb::tick {} {
    ::hammerdb::deliver
    after 200 ::hammerdb::tick
}
after 200 ::hammerdb::tick
