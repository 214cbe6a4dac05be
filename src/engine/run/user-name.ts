/** The name of the user who runs hookctl, by the user id and not by a variable, which any program can set. */
export function userName(userId: number): string {
  try {
    return process.getBuiltinModule("node:os").userInfo().username;
  } catch {
    return `uid ${userId}`;
  }
}
