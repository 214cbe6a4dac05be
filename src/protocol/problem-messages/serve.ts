import type { ServeProblem } from "../problem.ts";
import type { Explanation } from "./explanation.ts";

export function explainServe(problem: ServeProblem): Explanation {
  switch (problem.code) {
    case "SERVE_NOT_STARTED":
      return { summary: `Cannot serve at ${problem.place}: ${problem.cause}.`, hint: "Choose another place." };
    case "SERVE_CANCELLED":
      return { summary: "The request was cancelled.", hint: "Do not continue: no hook has decided." };
    case "SERVE_STOPPING":
      return { summary: "The server is stopping.", hint: "Start it again: hookctl serve" };
    case "SERVE_UNREACHABLE":
      return {
        summary: `No answer from ${problem.place}: ${problem.cause}.`,
        hint: "Do not continue: no hook has decided. Start it: hookctl serve",
      };
  }
}
