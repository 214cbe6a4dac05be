/**
 * The process id that a hook wrote. Anything else throws: an empty text would be 0, and to signal 0 is to signal the
 * tests themselves with everything in their process group.
 */
export function pidIn(text: string | null): number {
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`no process id: ${JSON.stringify(text)}`);
  return pid;
}
