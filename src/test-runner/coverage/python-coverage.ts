import * as z from "zod";
import type { LineCoverage } from "./line-coverage.ts";

/** `sitecustomize.py`, which Python imports before a program: it notes each line of the hook that runs. */
export const PYTHON_PROBE = `import atexit, dis, json, os, sys, threading

_file = os.environ.get("HOOKCTL_COVERED_FILE", "")
_out = os.environ.get("HOOKCTL_COVERAGE", "")
_lines = set()


def _same(name):
    return os.path.realpath(name) == _file


def _local(frame, event, arg):
    if event == "line":
        _lines.add(frame.f_lineno)
    return _local


def _start(frame, event, arg):
    return _local if _same(frame.f_code.co_filename) else None


def _starts(code):
    found = {line for _, line in dis.findlinestarts(code) if line}
    for const in code.co_consts:
        if hasattr(const, "co_code"):
            found |= _starts(const)
    return found


def _write():
    sys.settrace(None)
    with open(_file, "rb") as source:
        every = _starts(compile(source.read(), _file, "exec", dont_inherit=True))
    with open(_out, "a") as out:
        out.write(json.dumps({"all": sorted(every), "reached": sorted(_lines)}) + "\\n")


if _file and _out:
    atexit.register(_write)
    threading.settrace(_start)
    sys.settrace(_start)
`;

const written = z.object({ all: z.array(z.number()), reached: z.array(z.number()) });

/** What one process wrote. A line that only defines (\`def\`, \`class\`, a docstring) is reached with its module. */
export function pythonCoverage(line: string): LineCoverage {
  const { all, reached } = written.parse(JSON.parse(line));
  return { all: new Set(all), reached: new Set(reached) };
}
