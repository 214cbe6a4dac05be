import { isTemplate, PUSH_KEYS, type PushTemplates } from "../../protocol/entry.ts";
import { compileTemplate } from "../../templates/compile.ts";

/** In characters: templates of files that are not approved yet are compiled in hookctl's own process. */
const LONGEST_TEMPLATE = 65_536;
/** The limit of all templates of one file together. */
const LONGEST_TEMPLATES = 262_144;

interface BrokenTemplate {
  readonly key: string;
  readonly cause: string;
}

/** Creates the check for one file. It returns the first template that is not valid or too long. */
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
