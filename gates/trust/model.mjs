// The rules of docs/trust.md for one hooks folder, as a model that shares no code with the program.

/** @typedef {{ path: string, real: string, text: string, mode: number, helpers: Record<string, string>}} Approval */
/** @typedef {{ link?: string, text?: string, mode?: number, isForeign?: boolean }} Entry a link to a name, or a file */

const NO_FILE = { real: "", text: "", mode: 0, isForeign: false };

/** @param {Record<string, Entry>} disk name -> what lies there; a name with `../` is outside the project */
export function model(disk) {
  /** @type {Record<string, Approval>} */ let approvals = {};
  /** @type {Set<string>} */ const denials = new Set();
  /** @typedef {{ real: string, text: string, mode: number, isForeign: boolean }} File */
  /** @param {string} name @param {number} [hops] @returns {File | null} the file that a name leads to */
  const at = (name, hops = 9) => {
    const entry = disk[name];
    if (!entry || hops === 0) return null;
    return entry.link === undefined
      ? { real: name, text: entry.text ?? "", mode: entry.mode ?? 0, isForeign: entry.isForeign ?? false }
      : at(entry.link, hops - 1);
  };
  /** @param {string} name */
  const isCandidate = (name) => !/[/]|\.disable$/.test(name) && ((at(name)?.mode ?? 0) & 0o111) !== 0;
  const candidates = () => Object.keys(disk).filter(isCandidate).sort();
  /** @param {File} file */
  const isUnsafe = ({ mode, real, isForeign }) => (mode & 0o022) !== 0 || isForeign || real.startsWith("../");
  /** Files that the text of a hook names as a path, and files that those name: nothing else beside it counts. */
  /** @param {string} name @returns {Record<string, string>} */
  const helpersOf = (name) => {
    const others = Object.keys(disk).filter(
      (one) => !one.startsWith("../") && at(one) && one !== name && one !== at(name)?.real,
    );
    /** @type {Set<string>} */ const drawn = new Set();
    for (let size = -1; size !== drawn.size; ) {
      size = drawn.size;
      const texts = [name, ...drawn].map((one) => at(one)?.text ?? "");
      for (const one of others) if (texts.some((text) => text.includes(`"./${one}"`))) drawn.add(one);
    }
    return Object.fromEntries([...drawn].sort().map((one) => [one, at(one)?.text ?? ""]));
  };
  /** @param {string} name @param {Approval} approval */
  const isSame = (name, approval) => {
    const { real, text, mode } = at(name) ?? NO_FILE;
    return (
      real === approval.real &&
      text === approval.text &&
      mode === approval.mode &&
      JSON.stringify(helpersOf(name)) === JSON.stringify(Object.fromEntries(Object.entries(approval.helpers).sort()))
    );
  };
  /** @param {string} name @param {string} real */
  const isDenied = (name, real) => denials.has(name) || denials.has(real);
  /** @param {string} name */
  const status = (name) => {
    if (isDenied(name, at(name)?.real ?? "")) return "denied";
    const approval = approvals[name];
    if (isUnsafe(at(name) ?? NO_FILE)) return approval ? "unsafe, changed" : "unsafe";
    return approval ? (isSame(name, approval) ? "trusted" : "changed") : "untrusted";
  };
  /** Also one that was renamed to `.disable`: whoever can write in the project can do that. */
  const gone = () =>
    Object.values(approvals).filter(({ path, real }) => !isDenied(path, real) && !candidates().includes(path));
  /** @type {Set<string>} names that the user's settings require */ const required = new Set();
  /** @param {readonly string[]} names */
  const approve = (names) => {
    if (names.some((name) => isUnsafe(at(name) ?? NO_FILE))) return;
    for (const name of names) approvals[name] = { path: name, ...(at(name) ?? NO_FILE), helpers: helpersOf(name) };
  };
  /** What a name stands for: the name itself, and the files that it leads to now and led to when it was approved. */
  /** @param {string} name */
  const placesOf = (name) => [
    ...(isCandidate(name) ? [name, at(name)?.real ?? name] : []),
    ...(name in approvals ? [name, approvals[name]?.real ?? name] : []),
    ...(denials.has(name) ? [name] : []),
  ];
  return {
    candidates,
    status,
    gone,
    required,
    /** @param {string} name */
    require: (name) => required.add(name),
    unrequire: () => required.clear(),
    trustAll: () =>
      approve(
        candidates().filter(
          (name) =>
            !["trusted", "denied"].includes(status(name)) &&
            !(status(name) === "unsafe" && at(name)?.real.startsWith("../")),
        ),
      ),
    /** @param {string} name */
    trust: (name) => isCandidate(name) && status(name) !== "denied" && approve([name]),
    untrustAll: () => {
      approvals = {};
    },
    /** @param {string} name */
    untrust: (name) => {
      for (const place of placesOf(name)) denials.delete(place);
      delete approvals[name];
    },
    /** @param {string} name */
    deny: (name) => {
      if (placesOf(name).length === 0) return;
      delete approvals[name];
      denials.add(name);
    },
  };
}
