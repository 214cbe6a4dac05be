const NEW_LINE = 0x0a;

/** Hands a stream on line by line. Its limit counts from the last `restart`: nothing of a line beyond it is kept. */
export function lineReader(
  limitBytes: number,
  onLine: (line: string) => void,
): { readonly add: (chunk: Buffer) => void; readonly isOver: () => boolean; readonly restart: () => void } {
  let begun: Buffer[] = [];
  let size = 0;
  const add = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limitBytes) begun = [];
    if (size > limitBytes) return;
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      onLine(Buffer.concat([...begun, chunk.subarray(from, end)]).toString("utf8"));
      begun = [];
      from = end + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  };
  return {
    add,
    isOver: () => size > limitBytes,
    restart: () => {
      size = 0;
    },
  };
}
