import type { Problem } from "../protocol/problem.ts";
import type { Result } from "../protocol/result.ts";
import type { Signal } from "./otlp.ts";

/** What became of one request. */
export interface Delivered {
  /** Items that the receiver will never take. */
  readonly rejected: number;
  /** What it says about them, or a warning of it; null: nothing. */
  readonly message: string | null;
}

/** One request: its body, and how many items are in it. */
export interface Delivery {
  readonly signal: Signal;
  readonly body: object;
  readonly count: number;
}

/** Where telemetry goes. A failure means that nothing was taken and the same request may be sent later. */
export interface Sink {
  /** As a person may see it. */
  readonly name: string;
  readonly send: (delivery: Delivery) => Promise<Result<Delivered, Problem>>;
  readonly close: () => void;
}
