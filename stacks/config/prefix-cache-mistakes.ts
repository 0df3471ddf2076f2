/** Common mistakes under `gateway.prefixCaches`, with the file's consumers in the fix. */
import { type Path, type ProblemDraft, valueAt } from "./core/problems";
import { flowYaml } from "./field-text";

const SECTION = ["gateway", "prefixCaches"];
const SHARE = [...SECTION, "share"];
const APART = "each consumer has a part of its own by default, and share names those who use one together";

/** One draft, whichever issue of the value asks; undefined for other values. */
export function prefixCacheMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const isAt = (keys: Path) => keys.every((key, index) => path[index] === key);
  const names = consumersIn(input);
  const value = valueAt(input, SECTION);
  if (path.length === SECTION.length && isAt(SECTION) && (typeof value !== "object" || Array.isArray(value))) {
    return { path: SECTION, value, allowed: `a mapping with the key share: ${APART}`, fix: fixOfSection(value, names) };
  }
  const share = valueAt(input, SHARE);
  if (path.length < SHARE.length || !isAt(SHARE) || share === undefined) {
    return undefined;
  }
  return {
    path: SHARE,
    value: share,
    allowed: "a list of at least two names of consumers, or several such lists",
    fix: names.length < 2 ? "remove it" : `write for example share: ${flowYaml([names.slice(0, 2)])}, or remove it`,
  };
}

function fixOfSection(value: unknown, names: readonly string[]): string {
  if (Array.isArray(value)) {
    return `write prefixCaches: {share: ${flowYaml(value)}}`;
  }
  const isOff = value === false && names.length > 1;
  return isOff ? `remove it, or write prefixCaches: {share: ${flowYaml([names])}} for one cache of all` : "remove it";
}

function consumersIn(input: unknown): readonly string[] {
  const consumers = valueAt(input, ["gateway", "consumers"]);
  if (Array.isArray(consumers)) {
    return consumers.filter((name) => typeof name === "string");
  }
  return typeof consumers === "object" && consumers !== null ? Object.keys(consumers) : [];
}
