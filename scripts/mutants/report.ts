import type { Mutant } from "./mutant";
import type { Verdict } from "./results";

/** A mutant that behaves as the product does, so that no test can find it; confirmed by review. */
export interface Equivalent {
  /** Of the run that showed it. */
  readonly seed: number;
  readonly file: string;
  /** Of the mutant. */
  readonly id: string;
  readonly before: string;
  readonly after: string;
  readonly because: string;
}

/** A mutant with what became of it. */
export interface Judged {
  readonly room: string;
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** Why no test can kill it. Default: it can. */
  readonly equivalent?: string;
}

export interface Report {
  readonly title: string;
  readonly judged: readonly Judged[];
  /** Drawn as well, and refused by the type check. */
  readonly refusedByTypes: number;
  /** Tests that fail without mutants. */
  readonly failingClean: readonly string[];
}

/** What is in the share: neither equivalent nor left out of this tree. */
function counts({ verdict, equivalent }: Judged): boolean {
  return (verdict.outcome === "killed" || verdict.outcome === "survived") && equivalent === undefined;
}

/** Killed mutants of those that count: `17 of 20 (85 %)`. */
export function share(judged: readonly Judged[]): string {
  const all = judged.filter(counts);
  const killed = all.filter(({ verdict }) => verdict.outcome === "killed").length;
  return `${killed} of ${all.length}${all.length > 0 ? ` (${Math.round((100 * killed) / all.length)} %)` : ""}`;
}

export function reportText({ title, judged, refusedByTypes, failingClean }: Report): string {
  const rooms = [...new Set(judged.map(({ room }) => room))].sort();
  const survivors = judged.filter((one) => one.verdict.outcome === "survived" && one.equivalent === undefined);
  return [
    `# ${title}`,
    "",
    `Killed: ${share(judged)}. Refused by the type check, and not counted: ${refusedByTypes}.`,
    "",
    "| Room | Killed |",
    "|---|---|",
    ...rooms.map((room) => `| ${room} | ${share(judged.filter((one) => one.room === room))} |`),
    "",
    "| Room | Operator | Place | Before → after | Verdict |",
    "|---|---|---|---|---|",
    ...judged.map((one) => {
      const { operator, file, line, before, after, id } = one.mutant;
      return `| ${one.room} | ${operator} | ${file}:${line} (${id}) | ${code(before)} → ${code(after)} | ${verdictText(one)} |`;
    }),
    "",
    `Survivors: ${survivors.length}`,
    ...survivors.map(({ mutant }) => `- ${placeOf(mutant)}`),
    ...(failingClean.length > 0
      ? ["", `Tests that fail without mutants, and kill none: ${failingClean.join(", ")}`]
      : []),
    "",
  ].join("\n");
}

/** A mutant in a line. */
export function placeOf({ id, file, line, operator, before, after }: Mutant): string {
  return `${file}:${line} ${operator}: ${code(before)} → ${code(after)} (${id})`;
}

export function verdictText({ verdict, equivalent }: Pick<Judged, "verdict" | "equivalent">): string {
  return verdict.outcome === "killed"
    ? `killed by ${verdict.by}`
    : equivalent === undefined
      ? verdict.outcome
      : `equivalent: ${equivalent}`;
}

/** At most 60 characters in a cell of a table. */
function code(text: string): string {
  const line = text.trim().replace(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("`", "'");
  return line === "" ? "nothing" : `\`${line.length > 60 ? `${line.slice(0, 57)}...` : line}\``;
}
