import { spawnSync } from "node:child_process";

/** Makes a named pipe, which Node itself cannot. Gives its path. */
export function makeFifo(path: string, mode = "644"): string {
  const { status, stderr } = spawnSync("mkfifo", ["-m", mode, path], { encoding: "utf8" });
  if (status !== 0) throw new Error(`mkfifo ${path}: ${stderr}`);
  return path;
}
