"""Types into a console on a terminal. Called with: the program, the language, then pairs of what to
wait for and what to type; all that the terminal shows is printed."""
import os
import pty
import select
import sys
import time

PATIENCE_S = 60

program, language, pairs = sys.argv[1], sys.argv[2], sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    os.execv(program, [program, "hammerdb", language])
seen, shown = b"", b""


def unescaped(text):
    return text.encode().decode("unicode_escape").encode()


def read():
    """What has come; false at the end."""
    global seen, shown
    ready, _, _ = select.select([terminal], [], [], 1)
    if not ready:
        return True
    try:
        came = os.read(terminal, 4096)
    except OSError:
        came = b""
    seen, shown = seen + came, shown + came
    return bool(came)


end = time.monotonic() + PATIENCE_S
for awaited, typed in zip(pairs[::2], pairs[1::2]):
    awaited = unescaped(awaited)
    while awaited not in seen:
        if time.monotonic() > end or not read():
            sys.exit(f"no {awaited} after {shown.decode(errors='replace')}")
    seen = seen[seen.index(awaited) + len(awaited) :]
    os.write(terminal, unescaped(typed))
while time.monotonic() < end and read():
    pass
_, status = os.waitpid(child, 0)
print(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status))
