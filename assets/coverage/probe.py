# probe.py RECORD PROGRAM ARGUMENTS: runs a program as if it were started itself, and records which of its lines ran.
import atexit, dis, json, os, sys, threading, types

_record, _file = sys.argv[1:3]
_lines = set()


def _local(frame, event, arg):
    if event == "line":
        _lines.add(frame.f_lineno)
    return _local


def _start(frame, event, arg):
    return _local if frame.f_code.co_filename == _file else None


def _starts(code):
    found = {line for _, line in dis.findlinestarts(code) if line}
    for const in code.co_consts:
        if hasattr(const, "co_code"):
            found |= _starts(const)
    return found


with open(_file, "rb") as _source:
    _code = compile(_source.read(), _file, "exec", dont_inherit=True)


def _write():
    sys.settrace(None)
    with open(_record, "a") as out:
        out.write(json.dumps({"all": sorted(_starts(_code)), "reached": sorted(_lines)}) + "\n")


atexit.register(_write)
sys.argv = sys.argv[2:]
if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    sys.path[0] = os.path.dirname(_file)
_main = types.ModuleType("__main__")
_main.__file__ = _file
sys.modules["__main__"] = _main
threading.settrace(_start)
sys.settrace(_start)
exec(_code, _main.__dict__)
