import { testLinks } from "./links.ts";

testLinks(["install codex", "install gemini", "adopt claude"]);
