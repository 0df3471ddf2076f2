/** Table of `npm run pins`. */
import { mendedIn } from "../../catalog/known-vulnerabilities";
import { type Cell, type Style, table, WIDTH, wrap } from "../../report/style";
import type { PinRow, PinState } from "./rows";

const right = (text: string): Cell => ({ text, align: "right" });
const dayAndAge = (day: string, ageDays: number): string => `${day}, ${ageDays} d`;

export function pinTable(rows: readonly PinRow[], s: Style): string {
  const paint: Readonly<Record<PinState, (text: string) => string>> = {
    vulnerable: s.bad,
    "opt-in": s.warn,
    unread: s.dim,
    "not met": s.good,
    "none known": s.good,
  };
  return table([
    ["part", "version", "exposure", right("released"), right("advisories read"), "state"],
    ...rows.map((row) => [
      row.part,
      row.version,
      row.exposure,
      right(row.released === undefined ? `by ${row.readOn}` : dayAndAge(row.released.on, row.released.ageDays)),
      right(row.advisories === undefined ? "not read" : readTo(row.advisories)),
      { text: row.state, paint: paint[row.state] },
    ]),
  ]);
}

function readTo({ readOn, until, ageDays }: NonNullable<PinRow["advisories"]>): string {
  return dayAndAge(until ?? readOn, ageDays);
}

/** Details of affected rows, and why others are unread. */
export function pinDetails(rows: readonly PinRow[]): string {
  const known = rows.flatMap(knownLines);
  const unread = new Set(rows.flatMap(({ part, unread }) => (unread === undefined ? [] : [`${part}: ${unread}`])));
  return [
    ...(known.length > 0 ? ["Known", ...known, ""] : []),
    ...(unread.size > 0 ? ["Not read", ...[...unread].flatMap((line) => wrap(line, WIDTH, "  ")), ""] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function knownLines({ part, pins, optIn, known }: PinRow): string[] {
  const names = pins.map(({ name }) => name).join(", ");
  return known.flatMap((of) => [
    ...wrap(`${of.part} ${of.version} ${of.part === part ? "" : `in ${part} `}(${names})`, WIDTH, "  "),
    ...(optIn === undefined ? [] : wrap(`opt-in, ${optIn.by}: ${optIn.why}`, WIDTH, "    ")),
    ...of.known.flatMap(({ ids, severity, what, notMet, fixedIn, url }) => [
      ...wrap(
        `- ${[
          `${ids.join(", ")}${severity === undefined ? "" : ` (${severity})`}${what === undefined ? "" : `: ${what}`}`,
          fixedIn === undefined ? "fixed by no release" : `fixed in ${fixedIn}`,
          ...(notMet === undefined ? [] : [`not met: ${notMet}`]),
        ].join("; ")}`,
        WIDTH,
        "    ",
      ),
      `      ${url}`,
    ]),
  ]);
}

/** `envoy 1.39.0 → 1.39.6` */
export function upgradeOf({ part, version, known }: PinRow): string {
  const fixedIn = mendedIn(known.flatMap((of) => (of.part === part ? of.known : [])));
  return `${part} ${version}${fixedIn === undefined ? "" : ` → ${fixedIn}`}`;
}
