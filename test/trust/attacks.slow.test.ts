import { PLANTED, testDrawnIn } from "./drawn-in.ts";

testDrawnIn(PLANTED);
