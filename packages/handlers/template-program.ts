import { readFileSync } from "node:fs";
import { renderPush } from "./render-push.ts";

// The program behind `template_push`: templates and payload on stdin, a push directive on stdout.
process.stdout.write(renderPush(readFileSync(0, "utf8")));
