# Over TLS, with a password that is not friendly to Tcl.
proc settings { } {
    dbset db maria
    dbset bm TPC-C
    diset connection maria_host 127.0.0.1
    diset connection maria_port @PORT@
    diset connection maria_socket null
    diset connection maria_ssl true
    diset connection maria_ssl_two_way true
    diset connection maria_ssl_linux_capath @PAPERS@
    diset connection maria_ssl_ca ca.pem
    diset connection maria_ssl_cert c.pem
    diset connection maria_ssl_key k.pem
    diset connection maria_ssl_cipher server
    diset tpcc maria_user shower
    diset tpcc maria_pass "p\{a \$s\"s"
    diset tpcc maria_dbase tpcc_tls
}
settings
if { [ catch { buildschema } message ] } { puts "FAILED $message"; exit 1 }
set built [ lindex [ split $message = ] 1 ]
if { [ string length $built ] eq 24 } { puts "BUILD NOTED" }
diset tpcc maria_rampup 0
diset tpcc maria_duration 2
loadscript; vuset vu 1; vucreate; vurun; vudestroy
deleteschema
# Whoever shows nothing is not let in.
diset connection maria_ssl_two_way false
diset tpcc maria_dbase tpcc_again
buildschema
puts "WENT ON"
