# Makes the console's commands functions of a script, and lets it evaluate Tcl by tclpy.
# Called with: socket, names of the commands, and the script with its arguments if there is one.
import json as _json
import signal as _signal
import socket as _socket
import sys as _sys
import types as _types


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
            if "line" in answer:
                print(answer["line"], flush=True)
            elif "error" in answer:
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


class _Command:
    """A command of the console."""

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *words):
        # Scripts fetch values by tclpy.eval, but may use what a call returns.
        return _console.ask(call=self.__name__, words=[_word(word) for word in words]) or None


_tclpy = _types.ModuleType("tclpy")
_tclpy.eval = lambda script: _console.ask(eval=str(script))
_sys.modules["tclpy"] = _tclpy

_names = dict(tclpy=_tclpy)
# Python has its own of these.
_names.update({name: _Command(name) for name in _sys.argv[2].split() if name not in ("print", "help")})

if len(_sys.argv) > 3:
    _sys.argv = _sys.argv[3:]
    _path = _sys.argv[0]
    # Bytes: Python knows what a mark of their order or a declared encoding means.
    with open(_path, "rb") as _file:
        _text = _file.read()
    try:
        _text.decode("utf-8")
    except UnicodeDecodeError:
        # One byte a letter, which Python takes only if the file says so.
        if b"coding" not in b"".join(_text.splitlines()[:2]):
            _text = _text.decode("latin-1")
    _code = compile(_text, _path, "exec")
    _names.update(__name__="__main__", __file__=_path)
    exec(_code, _names)
else:
    _sys.argv = [""]
    _sys.ps1 = "hammerdb>>>"
    globals().update(_names)
