-- What the server says of its machine.
SELECT @@hostname, @@version_compile_os, @@version_compile_machine, @@datadir
