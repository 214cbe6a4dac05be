"""Renders the templates of fixtures/*.json with Jinja2 and writes what it gives to fixtures/*.expected.jsonl.

    python3 -Wignore test/templates/make-cases.py [folder for the results]

One line a template: {"out": text}, {"fails": true} where it cannot be rendered, {"refused": true} where it cannot be
compiled, {"skip": reason} where the result is another one in each run or is known to differ (docs/templates.md).
"""
import json
import pathlib
import re
import sys

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

HERE = pathlib.Path(__file__).parent / "fixtures"
STRICT = SandboxedEnvironment(undefined=StrictUndefined)
LAX = SandboxedEnvironment()

DIFFERENT = {
    r"at 0x|a\.t\. \.0|bound method": "has the address of an object",
}
DIFFERENT_TEMPLATES = {
    "lipsum": "has no lipsum",
    "'<'~'>'|safe": "is folded before autoescape is known",
    "(-3) ** (2.5)": "has complex numbers",
    "** (2.5)": "has another last digit",
    "|reverse)|wordcount": "counts the words of an address",
    "name'))|wordcount": "counts the words of an address",
    "|random": "is random",
}


def result(template, is_lax, values):
    if re.search(r"\{\{ \((?:\{.*\}|-?[\d.e]+|none|true)\)\[[-\d:]*:", template):
        return {"skip": "is folded: a slice of a constant that has no order"}
    for part, reason in DIFFERENT_TEMPLATES.items():
        if part in template:
            return {"skip": reason}
    try:
        compiled = (LAX if is_lax else STRICT).from_string(template)
    except (TemplateError, SyntaxError):
        return {"refused": True}
    try:
        text = compiled.render(json.loads(values))
    except Exception:
        return {"fails": True}
    for pattern, reason in DIFFERENT.items():
        if re.search(pattern, text, re.IGNORECASE):
            return {"skip": reason}
    return {"out": text}


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for source in sorted(HERE.glob("*.json")):
        data = json.loads(source.read_text(encoding="utf-8"))
        values = json.dumps(data["values"])
        lines = [json.dumps(result(template, is_lax, values)) for template, is_lax in data["templates"]]
        (folder / f"{source.stem}.expected.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
