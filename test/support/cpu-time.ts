/** Processor time of this process in ms, the least of three tries: other programs that keep the machine busy do not count. */
export const cpuMs = (work: () => void): number => Math.min(...[1, 2, 3].map(() => cpuMsOnce(work)));

function cpuMsOnce(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return cpuMsSince(before);
}

/** For work that is waited for: `before` is `process.cpuUsage()`. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
