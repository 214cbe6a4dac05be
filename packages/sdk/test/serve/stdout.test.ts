import { expect, test } from "vitest";
import { streamInto } from "../../serve/stdout.ts";

/** A sink that notes what it gets; `flush` is what its reader makes of it. */
function sink(flush: () => unknown) {
  const texts: string[] = [];
  const stream = streamInto({ write: (bytes) => texts.push(Buffer.from(bytes).toString()), flush });
  return { stream, texts };
}

const nextTurn = (): Promise<void> => new Promise((settle) => void setImmediate(settle));

test("answers that come together are one write, and the next ones wait until the reader has read them", async () => {
  let hasRead = (): void => {};
  const { stream, texts } = sink(
    () =>
      new Promise<void>((settle) => {
        hasRead = settle;
      }),
  );
  stream.cork();
  stream.write("a\n");
  stream.write("ä\n");
  stream.uncork();
  stream.write("c\n");
  await nextTurn();
  expect(texts).toEqual(["a\nä\n"]);
  hasRead();
  await nextTurn();
  expect(texts).toEqual(["a\nä\n", "c\n"]);
});

test.each([
  ["fails at once", () => Object.assign(new Error("gone"), { code: "EPIPE" }), true],
  ["fails later", () => Promise.reject(Object.assign(new Error("gone"), { code: "EPIPE" })), false],
])("a write that %s is an error of the stream", async (_, failure, isThrown) => {
  const { stream } = sink(() => {
    const failed = failure();
    if (isThrown) throw failed;
    return failed;
  });
  const error = new Promise((settle) => void stream.on("error", settle));
  stream.write("a\n");
  expect(await error).toMatchObject({ code: "EPIPE" });
});
