export { loadGuards } from "./load-guards.ts";
