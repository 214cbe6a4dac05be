// The entry of the native executable: the same program as behind bin/hookctl.js, and the one that renders templates.
import hookctl from "../../bin/hookctl.js";
import { createHost, fault, main } from "../../src/main.ts";
import { TEMPLATE_PROGRAM } from "../../src/process/own-program.ts";
import { provideShellParser } from "../../src/shell/load-parser.ts";

// A file inside the executable, which tools/native.mjs puts there.
provideShellParser(() =>
  process.getBuiltinModule("node:module").createRequire(import.meta.url)("/$bunfs/root/parser.js"),
);
if (process.argv[2] === TEMPLATE_PROGRAM) await import("../../packages/handlers/template-program.ts");
else hookctl.start(() => ({ createHost, fault, main }));
