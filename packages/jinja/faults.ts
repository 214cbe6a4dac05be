/** The Python exceptions that a template can meet. Some code depends on the kind: `int` catches two of them, no other. */
export type FaultKind =
  | "TypeError"
  | "ValueError"
  | "KeyError"
  | "IndexError"
  | "AttributeError"
  | "OverflowError"
  | "ZeroDivisionError"
  | "UndefinedError"
  | "TemplateRuntimeError"
  | "LimitError";

/** A template that cannot be rendered with these values. */
export class RenderError extends Error {
  readonly kind: FaultKind;
  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A template that cannot be compiled, whatever the values. */
export class TemplateSyntaxError extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

export function raise(kind: FaultKind, message: string): never {
  throw new RenderError(kind, message);
}
