# A replica of steprun: stays until the primary lets it go.
switchmode Replica @PORT@ localhost
proc ::hammerdb::stay {} {
    if {[::hammerdb::coupled]} { after 100 ::hammerdb::stay } else { set ::hammerdb::gone 1 }
}
::hammerdb::stay
vwait ::hammerdb::gone
exit
