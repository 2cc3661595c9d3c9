import os

tmpdir = os.getenv('TMP', "/tmp")
tclpy.eval('''
proc shown { jobid out } {
    rename puts originalputs
    set ::resultfile [ open $out w ]
    proc puts { args } { originalputs $::resultfile [ lindex $args end ] }
    job $jobid 1
    rename puts {}
    rename originalputs puts
    close $::resultfile
}
''')
with open(os.path.join(tmpdir, "pg_tprocc_py")) as fd:
    jobid = fd.read().strip().split("=")[1]
tclpy.eval("shown {} {}".format(jobid, os.path.join(tmpdir, "pg_tprocc_py.out")))
jobs(jobid, 'result')
if tclpy.eval('set x [ expr { 6 * 7 } ]') != '42':
    raise SystemExit("Tcl cannot calculate")
try:
    dbset('db', 'ora')
    buildschema()
except Exception as error:
    print("CAUGHT", error)
