/** What each agent sends about each of its events, as short as it may be. */
export { NATIVE_SAMPLES as NATIVE } from "../../src/agents/native-samples.ts";
