import type { Statement } from "./nodes.ts";
import { ExpressionParser } from "./parse-expression.ts";

const CONSTANT_NAMES = ["true", "false", "none", "True", "False", "None"];

/** Parses the tags that name other templates. */
export class LoadParser extends ExpressionParser {
  /** More than 0 inside of a block, a loop or a macro, which `extends` may not be in. */
  protected level = 0;

  /** `extends`, `include` and `import` name other templates. They are correct, and fail when they are rendered. */
  parseLoad(): readonly Statement[] {
    const { text: tag, line } = this.stream.next();
    this.expression();
    if (tag === "extends" && this.level > 0) this.stream.fail("`extends` must stand at the top of a template", line);
    if (tag === "import") this.importedAs();
    if (tag === "from") this.importedNames();
    if (tag === "include" && this.stream.isName("ignore") && this.stream.look().text === "missing") this.stream.skip(2);
    if (tag !== "extends") this.context();
    return [{ kind: "load", tag }];
  }

  private importedAs(): void {
    this.stream.expectName("as");
    this.nameTarget();
  }

  private importedNames(): void {
    this.stream.expectName("import");
    for (let isFirst = true; ; isFirst = false) {
      if (!isFirst) this.stream.expectOperator(",");
      if (this.isContext()) return;
      const name = this.nameTarget();
      if (name.startsWith("_")) this.stream.fail("a name that begins with _ cannot be imported");
      if (this.stream.skipName("as")) this.nameTarget();
      if (!this.stream.isOperator(",")) return;
    }
  }

  private isContext(): boolean {
    return this.stream.isName("with", "without") && this.stream.look().text === "context";
  }

  private context(): void {
    if (this.isContext()) this.stream.skip(2);
  }

  protected nameTarget(): string {
    const { text, line } = this.stream.expectName();
    if (CONSTANT_NAMES.includes(text)) this.stream.fail(`"${text}" cannot be assigned to`, line);
    return text;
  }
}
