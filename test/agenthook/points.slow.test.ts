import { testActions } from "./actions.ts";
import { POINTS } from "./points.ts";

testActions(POINTS);
