export { breakCells, cellWidth, fitCells, padCells } from "./cell-width.ts";
export { layOut, npxForm } from "./layout.ts";
