/** Negative if a is older. Compares only numbers: "0.20.2rc1" equals "0.20.2". */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** Plans compare few versions thousands of times. */
const known = new Map<string, readonly number[]>();

function parts(version: string): readonly number[] {
  const found = known.get(version) ?? read(version);
  known.set(version, found);
  return found;
}

function read(version: string): readonly number[] {
  const numbers = version.replace(/^v/, "").match(/^\d{1,6}(?:\.\d{1,6}){0,3}/)?.[0];
  return numbers === undefined ? [Number.MAX_SAFE_INTEGER] : numbers.split(".").map(Number);
}
