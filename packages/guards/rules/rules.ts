import type { Guard } from "../guard.ts";

/** What a person blocks and asks about, in the lists `commands`, `files` and `hosts` of the settings. */
export const rules: Guard = {
  name: "rules",
  about: "Keeps your own rules: commands, files and hosts that you block or want to be asked about.",
  rules: {
    "commands.block": "a program is started that a rule blocks: `npm publish *`",
    "commands.ask": "a program is started that a rule asks about",
    "files.block": "a file is changed or deleted that a rule blocks: `infra/**`",
    "files.ask": "a file is changed or deleted that a rule asks about",
    "hosts.block": "a host is connected to that a rule blocks: `*.example.org`",
    "hosts.ask": "a host is connected to that a rule asks about",
  },
  decisions: {
    "commands.block": "block",
    "commands.ask": "ask",
    "files.block": "block",
    "files.ask": "ask",
    "hosts.block": "block",
    "hosts.ask": "ask",
  },
  programs: [],
};
