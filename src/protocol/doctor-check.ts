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

export const fine = (name: string, detail: string): Checkup => ({ name, status: "ok", detail, hint: null });

export const doubtful = (name: string, detail: string, hint: string | null): Checkup => ({
  name,
  status: "warn",
  detail,
  hint,
});

export const broken = (name: string, detail: string, hint: string | null): Checkup => ({
  name,
  status: "fail",
  detail,
  hint,
});
