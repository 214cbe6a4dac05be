import { findNodeAtLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";

/**
 * Appends a value to an array or object without changing any other character. The parser's own `modify` would reformat
 * the entries around it.
 */
export function appendChild(text: string, path: JSONPath, value: unknown, key: string | null = null): string {
  const node = nodeAt(text, path);
  const children = node?.children ?? [];
  if (node === undefined) return text;
  const { eol, indent } = styleOf(text);
  const last = children.at(-1);
  const outer = indentAt(text, node.offset);
  const name = key === null ? "" : `${JSON.stringify(key)}: `;
  if (last === undefined) {
    const inner = outer + indent;
    const close = node.offset + node.length - 1;
    // It may contain a comment.
    const start = node.offset + 1 + text.slice(node.offset + 1, close).trimEnd().length;
    return splice(text, start, close, `${eol}${inner}${name}${written(value, inner, text)}${eol}${outer}`);
  }
  const isOneLine = !text.slice(node.offset, last.offset).includes("\n");
  const inner = isOneLine ? null : indentAt(text, last.offset);
  const body =
    inner === null ? ` ${name}${JSON.stringify(value)}` : `${eol}${inner}${name}${written(value, inner, text)}`;
  const end = last.offset + last.length;
  return splice(text, end, end, `,${body}`);
}

/** Replaces a value. */
export function replaceValue(text: string, path: JSONPath, value: unknown): string {
  const node = nodeAt(text, path);
  if (node === undefined) return text;
  return splice(text, node.offset, node.offset + node.length, written(value, indentAt(text, node.offset), text));
}

/** Removes a child with its comma: the inverse of `appendChild`. */
export function removeChild(text: string, path: JSONPath): string {
  const found = nodeAt(text, path);
  const node = found?.parent?.type === "property" ? found.parent : found;
  const siblings = node?.parent?.children ?? [];
  const index = node === undefined ? -1 : siblings.indexOf(node);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  if (node?.parent === undefined || index < 0) return text;
  if (previous !== undefined) return splice(text, previous.offset + previous.length, node.offset + node.length, "");
  if (next !== undefined) return splice(text, node.offset, next.offset, "");
  const open = node.parent.offset + 1;
  const start = open + text.slice(open, node.offset).trimEnd().length;
  const end = start === open ? node.parent.offset + node.parent.length - 1 : node.offset + node.length;
  return splice(text, start, end, "");
}

const nodeAt = (text: string, path: JSONPath): Node | undefined => {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  return tree === undefined ? undefined : findNodeAtLocation(tree, path);
};

const splice = (text: string, start: number, end: number, body: string): string =>
  text.slice(0, start) + body + text.slice(end);

/** The indentation of the line at an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function written(value: unknown, outer: string, text: string): string {
  const { eol, indent } = styleOf(text);
  return JSON.stringify(value, null, indent).replaceAll("\n", `${eol}${outer}`);
}

/** The line ends and the indentation of the file. */
function styleOf(text: string): { readonly eol: string; readonly indent: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", indent: indent.startsWith("\t") ? "\t" : indent };
}
