# Makes the console's commands functions of a script, and lets it evaluate Tcl by tclpy.
# Called with: socket, names of the commands, and the script with its arguments if there is one.
import json as _json
import builtins as _builtins
import re as _re
import signal as _signal
import socket as _socket
import sys as _sys
import traceback as _traceback
import types as _types

# The exit code of a script that has failed: the same as in Tcl.
_FAILED = 2


class _Console:
    def __init__(self, path):
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        self._socket.connect(path)
        self._answers = self._socket.makefile("r", encoding="utf-8")

    def ask(self, **question):
        # Ctrl-C reaches the console as well, which ends what goes on and tells us when it has.
        pressed = []
        try:
            before = _signal.signal(_signal.SIGINT, lambda *_: pressed.append(True))
        except ValueError:
            return self._ask(question)  # Not the main thread: no signal comes here.
        try:
            answer = self._ask(question)
        finally:
            _signal.signal(_signal.SIGINT, before)
        if pressed:
            raise KeyboardInterrupt
        return answer

    def _ask(self, question):
        self._socket.sendall((_json.dumps(question) + "\n").encode("utf-8"))
        for line in self._answers:
            answer = _json.loads(line)
            if "error" in answer:
                raise RuntimeError(answer["error"])
            elif "interrupted" in answer:
                raise KeyboardInterrupt
            else:
                return answer["value"]
        raise SystemExit(1)


_console = _Console(_sys.argv[1])


def _word(value):
    # Python writes the flags of the dictionary in another way.
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _split(text):
    """The words of one string, as Tcl sees them: in braces, in quotes, or between blanks."""
    found = _re.findall(r'\{([^{}]*)\}|"([^"]*)"|(\S+)', text)
    return [braced or quoted or plain for braced, quoted, plain in found]


class _Command:
    """A command of the console."""

    # Their one argument is the name of a file, in which a blank is a blank.
    FILES = ("customscript", "savescript")

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *words):
        words = [_word(word) for word in words]
        if len(words) == 1 and self.__name__ not in self.FILES:
            words = _split(words[0])
        # Scripts fetch values by tclpy.eval, but may use what a call returns.
        return _console.ask(call=self.__name__, words=words) or None


_tclpy = _types.ModuleType("tclpy")
_tclpy.eval = lambda script: _console.ask(eval=str(script))
_sys.modules["tclpy"] = _tclpy

_commands = {name: _Command(name) for name in _sys.argv[2].split()}
_PARTS = ("db", "bm", "ci", "dict", "generic", "script", "vuconf", "vucreated", "vustatus", "vucomplete", "datagen", "tcconf")


def _print(*words, **options):
    """Python's print, except for the parts that the console's print shows."""
    if len(words) == 1 and not options and isinstance(words[0], str) and words[0] in _PARTS:
        _commands["print"](words[0])
    else:
        _builtins.print(*words, **options)


def _help(*words):
    """The console's help on its commands, and Python's on everything else."""
    words = [getattr(word, "__name__", word) if isinstance(word, _Command) else word for word in words]
    if not words or isinstance(words[0], str) and words[0] in _commands:
        _commands["help"](*words)
    else:
        _builtins.help(*words)


def _read(path):
    """The code of a script. Bytes: Python knows what a mark of their order or a declared encoding means."""
    with open(path, "rb") as file:
        text = file.read()
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        # One byte a letter, which Python takes only if the file says so.
        if b"coding" not in b"".join(text.splitlines()[:2]):
            text = text.decode("latin-1")
    return compile(text, path, "exec")


def _quoted(word):
    """A word that Tcl reads unchanged."""
    return "".join("\\" + c if not c.isalnum() else c for c in str(word)) or "{}"


def _procedure(name):
    """A procedure that HammerDB has in Tcl beside its commands."""
    return lambda *words: _tclpy.eval(" ".join([name, *map(_quoted, words)]))


_PROCEDURES = ("putscli", "guid", "keepalive", "hdbjobs", "_waittocomplete", "_runtimer")


def _source(path):
    """Runs another script: one in Tcl, or one in Python with the names of this one."""
    if str(path).endswith(".tcl"):
        _tclpy.eval("source " + _quoted(path))
    else:
        exec(_read(str(path)), _names)


def _tclversion():
    """The version of Tcl behind tclpy."""
    return _tclpy.eval("info patchlevel")


_commands.update({name: _procedure(name) for name in _PROCEDURES})
_names = dict(_commands, tclpy=_tclpy, print=_print, help=_help, source=_source, tclversion=_tclversion)
# Scripts may import what they find anyway.
_module = _types.ModuleType("hammerdb")
_module.__dict__.update(_names, __all__=list(_names))
_sys.modules["hammerdb"] = _module

if len(_sys.argv) > 3:
    _sys.argv = _sys.argv[3:]
    _names.update(__name__="__main__", __file__=_sys.argv[0])
    try:
        exec(_read(_sys.argv[0]), _names)
    except Exception as _error:
        # Without the lines of this file.
        _frames = [one for one in _traceback.extract_tb(_error.__traceback__) if one.filename != "<string>"]
        _lines = ["Traceback (most recent call last):\n"] if _frames else []
        _lines += _traceback.format_list(_frames) + _traceback.format_exception_only(type(_error), _error)
        _builtins.print("".join(_lines), end="", file=_sys.stderr)
        _builtins.print("hint: the lines above are Python's traceback; use except to handle such errors", file=_sys.stderr)
        _sys.stdout.flush()
        _sys.exit(_FAILED)
else:
    _sys.argv = [""]
    _sys.ps1 = "hammerdb>>>"
    globals().update(_names)
    if not _sys.stdin.isatty():
        # A pipe has nobody who sees a wrong command: the exit code tells of it, unless the input chooses one.
        import atexit as _atexit
        import os as _os

        _failures = []
        _hook = _sys.excepthook

        def _failed(kind, *error):
            # A signal has an exit code of its own.
            if not issubclass(kind, KeyboardInterrupt):
                _failures.append(kind)
            _hook(kind, *error)

        def _leave():
            if _failures:
                _sys.stdout.flush()
                _sys.stderr.flush()
                _os._exit(_FAILED)

        def exit(code=None):
            if code is not None:
                _failures.clear()
            raise SystemExit(code)

        quit = exit
        _sys.excepthook = _failed
        _atexit.register(_leave)
