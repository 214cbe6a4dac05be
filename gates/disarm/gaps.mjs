// What the docs say that hookctl does not stop: the page, and the sentence that must stand on it.
export const GAPS = {
  scripts: { page: "docs/guards.md", sentence: "Other scripts, Makefiles and settings of programs are not." },
  trust: { page: "docs/trust.md", sentence: "An agent's own trust in folders is not recorded" },
};
