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
proc hdbjobs {args} { error "hdbjobs is not supported, since jobs are files; use the command jobs" }

# What the transaction counter and the metrics say comes while a script waits for events.
proc ::hammerdb::tick {} {
    ::hammerdb::deliver
    after 200 ::hammerdb::tick
}
after 200 ::hammerdb::tick
