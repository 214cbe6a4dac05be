/** A hook, or a candidate, that would not start in a run. */
export interface NotReady {
  readonly name: string;
  readonly path: string;
  /** The code of a problem or a warning, or the reason why an entry of a hooks folder was skipped. */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}
