# What the script of a virtual user finds beside Tcl: its output is that of the virtual user, and
# exit ends the virtual user.

set tcl_interactive 0

rename puts ::hammerdb::puts
proc puts {args} {
    set ends 1
    set words $args
    if {[lindex $words 0] eq "-nonewline"} {
        set ends 0
        set words [lrange $words 1 end]
    }
    switch [llength $words] {
        1 { return [::hammerdb::write $ends [lindex $words 0]] }
        2 {
            if {[lindex $words 0] in {stdout stderr}} {
                return [::hammerdb::write $ends [lindex $words 1]]
            }
        }
    }
    catch {uplevel 1 [list ::hammerdb::puts {*}$args]} value options
    ::hammerdb::outside puts value options
    return -options $options $value
}
proc exit {{code 0}} { return -code error -errorcode [list HAMMERDB EXIT $code] "exit $code" }
