/** An expected outcome as a value. A throw is a bug. */
export type Result<T, E> = Ok<T> | Fail<E>;
export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}
export interface Fail<E> {
  readonly ok: false;
  readonly error: E;
}

export const ok = <T>(value: T): Ok<T> => ({ ok: true, value });
export const fail = <E>(error: E): Fail<E> => ({ ok: false, error });
