/** A tag or a version of npm: `guards-v`, [1, 2, 0] and ["rc", "1"] of `guards-v1.2.0-rc.1`. */
interface Version {
  readonly prefix: string;
  readonly numbers: readonly number[];
  /** The identifiers of a pre-release; empty for a release. */
  readonly before: readonly string[];
}

/** As semver.org has it, with any text before it; a pre-release needs all three numbers. */
const SEMVER = /^(.*?)(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const NUMBERS = /^(.*?)(\d+(?:\.\d+)*)$/;

function versionOf(name: string): Version | null {
  const [, prefix = "", digits, before] = SEMVER.exec(name) ?? NUMBERS.exec(name) ?? [];
  if (digits === undefined) return null;
  return { prefix, numbers: digits.split(".").map(Number), before: before === undefined ? [] : before.split(".") };
}

/**
 * The revisions above one, of the same form: the highest that promises to be compatible, and the highest of all. A
 * pre-release is among them only for a pre-release of the same version.
 */
export function newerThan(
  revision: string,
  names: readonly string[],
): { readonly next: string | null; readonly newest: string | null } {
  const from = versionOf(revision);
  if (from === null) return { next: null, newest: null };
  const above = names
    .flatMap((name) => {
      const version = versionOf(name);
      return version === null ? [] : { name, version };
    })
    .filter(({ version }) => version.prefix === from.prefix && compare(version, from) > 0)
    .filter(({ version }) => version.before.length === 0 || isPreReleaseOfSame(version, from))
    .sort((a, b) => compare(a.version, b.version));
  const compatible = above.filter(({ version }) => isCompatible(version, from));
  return { next: compatible.at(-1)?.name ?? null, newest: above.at(-1)?.name ?? null };
}

const isPreReleaseOfSame = (version: Version, from: Version): boolean =>
  from.before.length > 0 && compareNumbers(version, from) === 0;

/** The first number that is not zero, and all before it, are the same: from 1.2.0 to 1.9.0, but from 0.2.0 only to 0.2.9. */
function isCompatible({ numbers }: Version, { numbers: from }: Version): boolean {
  const first = from.findIndex((number) => number > 0);
  const fixed = first === -1 ? from.length : first + 1;
  return from.slice(0, fixed).every((number, at) => (numbers[at] ?? 0) === number);
}

/** The order of semver.org, section 11. */
function compare(a: Version, b: Version): number {
  const byNumbers = compareNumbers(a, b);
  if (byNumbers !== 0) return byNumbers;
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  const length = Math.max(a.before.length, b.before.length);
  const all = Array.from({ length }, (_, at) => compareIdentifiers(a.before[at], b.before[at]));
  return all.find((order) => order !== 0) ?? 0;
}

function compareNumbers({ numbers: a }: Version, { numbers: b }: Version): number {
  const at = Array.from({ length: Math.max(a.length, b.length) }, (_, index) => (a[index] ?? 0) - (b[index] ?? 0));
  return at.find((difference) => difference !== 0) ?? 0;
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [left, right] = [a, b].map((one) => (/^\d+$/.test(one) ? Number(one) : null));
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "number" || typeof right === "number") return typeof left === "number" ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
