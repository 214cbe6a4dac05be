/** One check of `doctor`. */
export interface Checkup {
  /** The subject of the check, prefixed with the agent's name: `claude bridge`. */
  readonly name: string;
  /** `unchecked`: no fault is known, and nothing proves that there is none. */
  readonly status: "ok" | "unchecked" | "warn" | "fail";
  readonly detail: string;
  /** The next step. */
  readonly hint: string | null;
}

const withStatus =
  (status: Checkup["status"]) =>
  (name: string, detail: string, hint: string | null = null): Checkup => ({ name, status, detail, hint });

export const fine = withStatus("ok");
export const doubtful = withStatus("warn");
export const broken = withStatus("fail");
