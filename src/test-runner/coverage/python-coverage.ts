import * as z from "zod";
import type { LineCoverage } from "./line-coverage.ts";

/** Runs a program in its place (`probe.py PROGRAM ARGUMENTS`) and notes its lines: `python3 -I` reads no variables. */
export const pythonProbe = (record: string): string => `import atexit, dis, json, os, sys, threading, types

_file = sys.argv[1]
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
    with open(${JSON.stringify(record)}, "a") as out:
        out.write(json.dumps({"all": sorted(_starts(_code)), "reached": sorted(_lines)}) + "\\n")


atexit.register(_write)
sys.argv = sys.argv[1:]
if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    sys.path[0] = os.path.dirname(_file)
_main = types.ModuleType("__main__")
_main.__file__ = _file
sys.modules["__main__"] = _main
threading.settrace(_start)
sys.settrace(_start)
exec(_code, _main.__dict__)
`;

const written = z.object({ all: z.array(z.number()), reached: z.array(z.number()) });

/** What one process wrote. A line that only defines (\`def\`, \`class\`, a docstring) is reached with its module. */
export function pythonCoverage(line: string): LineCoverage {
  const { all, reached } = written.parse(JSON.parse(line));
  return { all: new Set(all), reached: new Set(reached) };
}
