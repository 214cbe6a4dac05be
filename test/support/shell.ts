/** A text as one word of sh. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A line of sh that prints a reply. */
export const printResponse = (value: unknown): string =>
  `printf '%s' ${shellQuote(typeof value === "string" ? value : JSON.stringify(value))}`;

/** A line of sh that puts down a file: whoever finds it knows that the hook was started. */
export const touch = (file: string): string => `: > ${shellQuote(file)}`;

/** The text of a hook in sh that declares its event when it is asked; a body with a first line of its own is left as it is. */
export function hookScript(body: string, says: string): string {
  if (body.startsWith("#!") || body === "") return body;
  return `#!/bin/sh\nif [ "$1" = hook ]; then printf '%s\\n' ${shellQuote(says)}; exit 0; fi\n${body}\n`;
}

/** A line of sh that changes the input by adding to the command it was given. */
export const addToCommand = (words: string): string =>
  `seen=$(sed 's/.*"command":"\\([^"]*\\)".*/\\1/'); printf '{"input":{"command":"%s ${words}"}}' "$seen"`;
