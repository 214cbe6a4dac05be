export { cellWidth, fitCells, padCells } from "./cell-width.ts";
export { breakSource, layOut, npxForm } from "./layout.ts";
export { showingWaits } from "./progress-line.ts";
