# What each virtual user of the test runs: a loop with a result of its own.
set total_iterations 3
puts "Processing $total_iterations rounds"
for { set it 1 } { $it <= $total_iterations } { incr it } {
    puts -nonewline "round $it"
    puts " of $::hammerdb::user"
    after 10
}
set file [ open $::env(TMP)/vuser_$::hammerdb::user.txt a ]
puts $file "done"
close $file
