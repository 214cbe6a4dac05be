/** Formats 3000 as `3 s` and 250 as `250 ms`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  return `${Number((ms / 60_000).toFixed(1))} min`;
}

/** Formats 4194304 as `4 MiB`. */
export const formatSize = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${Number((bytes / 1024).toFixed(1))} KiB` : `${Number((bytes / 1024 ** 2).toFixed(1))} MiB`;
