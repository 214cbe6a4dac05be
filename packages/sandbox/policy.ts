import type { ProgramStart, SandboxedStart } from "../../src/process/process-request.ts";

/**
 * What a program may do with a path and all below it: read; also write; see it empty (`hidden`); or have its own in its
 * place, which ends with the sandbox (`own`).
 */
export type Access = "read" | "write" | "hidden" | "own";

/** A path, absolute and without links, with its access. The nearest place above a path decides, and of two equal ones the last. */
export interface Place {
  readonly path: string;
  readonly access: Access;
  /** The folder of this machine that it sees in its place. */
  readonly from?: string;
}

/** The permissions of one start. What no place names may be read. */
export interface SandboxPolicy {
  readonly network: boolean;
  /** False: it may not start processes. */
  readonly subprocess: boolean;
  /** True: it may use Unix sockets; those of other programs have to be hidden with their folders. */
  readonly unixSockets: boolean;
  readonly places: readonly Place[];
}

/** A program of this machine that locks others in. */
export interface Backend {
  readonly name: "bubblewrap" | "sandbox-exec";
  /** Its absolute path. */
  readonly file: string;
  readonly wrap: (start: ProgramStart, policy: SandboxPolicy) => SandboxedStart;
}

const depth = ({ path }: Place): number => (path === "/" ? 0 : path.split("/").length);

/** In the order in which they are mounted: a deeper place covers a part of the one above it. */
export const inMountOrder = <P extends Place>(places: readonly P[]): readonly P[] =>
  [...new Map(places.map((place) => [place.path, place])).values()].sort((one, other) => depth(one) - depth(other));
