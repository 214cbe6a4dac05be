/** What the kernel hands to a filter: `struct seccomp_data`. */
export interface SystemCall {
  readonly architecture: number;
  readonly number: number;
  readonly args: readonly bigint[];
}

export type Decision = "allow" | "kill" | { readonly errno: number };

const decisionOf = (value: number): Decision => {
  if (value === 0x7fff0000) return "allow";
  if (value === 0x80000000) return "kill";
  if (value >>> 16 === 5) return { errno: value & 0xffff };
  throw new Error(`unknown action ${value.toString(16)}`);
};

function dataOf({ architecture, number, args }: SystemCall): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, architecture, true);
  for (const [index, value] of args.entries()) data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, value), true);
  return data;
}

/** Runs a filter as the kernel does, and throws where the kernel would not take it. */
export function decide(filter: Uint8Array, call: SystemCall): Decision {
  const program = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  const data = dataOf(call);
  let accumulator = 0;
  for (let at = 0; at + 8 <= program.byteLength; at += 8) {
    const operand = program.getUint32(at + 4, true);
    const jump = (isTrue: boolean): void => {
      at += 8 * program.getUint8(at + (isTrue ? 2 : 3));
    };
    const code = program.getUint16(at, true);
    if (code === 0x06) return decisionOf(operand);
    if (code === 0x20) accumulator = data.getUint32(operand, true);
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0;
    else if (code === 0x15) jump(accumulator === operand);
    else if (code === 0x35) jump(accumulator >= operand);
    else if (code === 0x45) jump((accumulator & operand) !== 0);
    else throw new Error(`unknown instruction ${code.toString(16)}`);
  }
  throw new Error("ran past the end of the filter");
}
