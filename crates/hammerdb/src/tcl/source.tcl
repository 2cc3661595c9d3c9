# Files of scripts: read in the encoding that they have, which need not be the system's.

# A system that names no encoding is taken for one with UTF-8, as Python does too: what comes in as UTF-8
# goes out as UTF-8.
proc ::hammerdb::locale {} {
    foreach name {LC_ALL LC_CTYPE LANG} {
        if {[info exists ::env($name)] && $::env($name) ne {}} { return $::env($name) }
    }
    return C
}
if {[encoding system] eq {iso8859-1} && [::hammerdb::locale] in {C POSIX}} {
    encoding system utf-8
    foreach channel {stdin stdout stderr} { catch { fconfigure $channel -encoding utf-8 } }
    unset channel
}

proc ::hammerdb::encoding_of {path} {
    set channel [open $path rb]
    set bytes [read $channel]
    close $channel
    if {[catch {encoding convertfrom utf-8 $bytes} text]} { return iso8859-1 }
    return [expr {[encoding convertto utf-8 $text] eq $bytes ? {utf-8} : {iso8859-1}}]
}
# What a command of Tcl's own ended with, for the procedure that has taken its place: errors are told as if there were none.
proc ::hammerdb::outside {name value options} {
    upvar 1 $value text $options all
    set map [list ::hammerdb::$name $name]
    set text [string map $map $text]
    dict incr all -level
    if {[dict exists $all -errorinfo]} {
        set info [dict get $all -errorinfo]
        set end [string first "\n\"::hammerdb::$name" $info]
        if {$end >= 0} {
            set info [string range $info 0 $end]
            regsub {\n    (while executing|invoked from within)\n$} $info {} info
        }
        dict set all -errorinfo [string map $map $info]
    }
}

rename source ::hammerdb::source
proc source {args} {
    # What is wrong with the call or the file is the command's own to say.
    if {[llength $args] == 1 && ![catch {::hammerdb::encoding_of [lindex $args 0]} encoding]} {
        set args [list -encoding $encoding {*}$args]
    }
    catch {uplevel 1 [list ::hammerdb::source {*}$args]} value options
    ::hammerdb::outside source value options
    return -options $options $value
}
