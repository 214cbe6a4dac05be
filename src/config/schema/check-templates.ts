import { isTemplate, PUSH_KEYS, type PushTemplates } from "../../protocol/entry.ts";
import { compileTemplate } from "../../templates/compile.ts";

/** A file nobody has approved is compiled in hookctl's own process, so its templates have a bound. In characters. */
const LONGEST_TEMPLATE = 65_536;
/** Of all templates of one file together. */
const LONGEST_TEMPLATES = 262_144;

interface BrokenTemplate {
  readonly key: string;
  readonly cause: string;
}

/** A check for the pushes of one file: it returns the first template that Jinja2 or the bound refuses. */
export function templateCheck(): (push: PushTemplates) => BrokenTemplate | null {
  let total = 0;
  const causeOf = (template: string): string | null => {
    total += template.length;
    if (template.length > LONGEST_TEMPLATE) return `it is longer than ${LONGEST_TEMPLATE} characters`;
    if (total > LONGEST_TEMPLATES)
      return `the templates of the file are longer than ${LONGEST_TEMPLATES} characters together`;
    const compiled = compileTemplate(template);
    return compiled.ok ? null : compiled.error;
  };
  return (push) => {
    for (const key of PUSH_KEYS) {
      const cause = isTemplate(key, push[key]) ? causeOf(push[key]) : null;
      if (cause !== null) return { key, cause };
    }
    return null;
  };
}
