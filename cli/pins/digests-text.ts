/** Text output of `npm run pins -- --digests`. */
import type { ImageByTag } from "../../catalog/image-digests";
import { type Style, table, WIDTH, wrap } from "../../report/style";
import type { DigestRow } from "./digests";

export function digestReport(rows: readonly DigestRow[], byTag: readonly ImageByTag[], s: Style): string {
  const paint: Readonly<Record<DigestRow["state"], (text: string) => string>> = {
    same: s.dim,
    added: s.good,
    moved: s.bad,
    failed: s.bad,
    dropped: s.warn,
  };
  const problems = rows.flatMap(({ image, problem }) => (problem === undefined ? [] : [`${image}: ${problem}`]));
  const added = rows.filter(({ state }) => state === "added").length;
  return [
    table([
      ["image", "state", "digest"],
      ...rows.map(({ image, state, digest = "" }) => [image, { text: state, paint: paint[state] }, digest]),
    ]),
    ...problems.flatMap((problem) => [...wrap(`- ${problem}`, WIDTH, ""), ""]),
    ...byTag.flatMap(({ repository, why }) => wrap(`By its tag: ${repository}: ${why}.`, WIDTH, "")),
    problems.length === 0
      ? s.good(`The list has every digest; ${added} came in this run.`)
      : s.bad(
          `${problems.length} of ${rows.length} images keep what the list has of them, if anything; ${added} digests came in this run.`,
        ),
  ]
    .map((line) => `${line}\n`)
    .join("");
}
