// Changes a session over and over and says of each change that it was kept: node writer.mjs DIST FOLDER NAME COUNT
import { writeSync } from "node:fs";

const [dist, folder, name, count] = process.argv.slice(2);
const { changeState } = await import(new URL("src/session/state.js", dist).href);
const { deliverToSession } = await import(new URL("src/session/turn-limit.js", dist).href);
const patch = { set: new Map([[name, '"here"']]), remove: [], increment: new Map([["changes", "1"]]) };

for (let index = 0; index < Number(count); index++) {
  const counted = await changeState(folder, patch);
  writeSync(1, counted.ok ? "counted\n" : `failed ${counted.error}\n`);
  const pushes = [{ hook: name, text: String(index), wake: false }];
  const sent = await deliverToSession(folder, { followUps: [], pushes }, { turns: 25 });
  writeSync(1, sent.ok ? `sent ${index}\n` : `failed ${sent.error}\n`);
}
