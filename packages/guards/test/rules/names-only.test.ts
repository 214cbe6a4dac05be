import { expect, test } from "vitest";
import { showsNamesOnly } from "../../rules/secrets/names-only.ts";

const words = (line: string) =>
  (line.match(/'[^']*'|\S+/g) ?? []).map((source) => ({
    ...{ text: source.replaceAll("'", ""), source, isGlob: false, printedBy: [] },
  }));
const namesOnly = (line: string): boolean => {
  const [program, ...args] = words(line);
  return showsNamesOnly({ program: program?.text ?? "", args });
};

test.each([
  ...["cut -d= -f1 .env", "cut -d '=' -f 1 .env", "cut --delimiter== --fields=1 .env", "cut -f1 -d= .env"],
  ...["cut -s -d= -f1 .env", "sed 's/=.*//' .env", "sed -e 's|=.*||' .env", "sed -E 's/=.*/=/' .env"],
  ...["awk -F= '{print $1}' .env", "awk -F '=' '{ print $1; }' .env", "awk -F= '/^[A-Z]/ {print $1}' .env"],
  ...["grep -o '^[^=]*' .env", "grep -oE '^[A-Z_]+=' .env"],
])("%s shows names only", (line) => {
  expect(namesOnly(line)).toBe(true);
});

test.each([
  ...["cut -d= -f1- .env", "cut -d= -f2 .env", "cut -d= -f1,2 .env", "cut -d: -f1 .env", "cut -f1 .env"],
  ...[
    "cut -d= -f1 --complement .env",
    "cut -d= -f1 -f2 .env",
    "cut -c1-80 .env",
    "cut -d= -f1 --output-delimiter=x -b1 .env",
  ],
  ...["sed 's/=.*//;s/x/y/w z' .env", "sed -n p .env", "sed -e 's/=.*//' -e p .env", "sed -i 's/=.*//' .env"],
  ...[
    "awk -F= '{print $2}' .env",
    "awk -F= '{print $1,$0}' .env",
    "awk '{print $1}' .env",
    "awk -F= -f x '{print $1}' .env",
  ],
  ...[
    "grep -o '.*' .env",
    "grep '^[^=]*' .env",
    "grep -o '^[^#]*' .env",
    "grep -o -e '^[^=]*' -e '.*' .env",
    "cat .env",
  ],
])("%s may show values", (line) => {
  expect(namesOnly(line)).toBe(false);
});
