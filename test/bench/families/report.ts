import type { Outcome } from "../../planner/model/families/compare";
import type { Table } from "../table";

export interface Judged {
  /** The family's `model_type`. */
  readonly name: string;
  /** Whether the newest vLLM that was looked at serves it. */
  readonly served: boolean;
  readonly outcome: Outcome;
}

const KINDS = ["exact", "near", "off", "refused"] as const satisfies readonly Outcome["kind"][];

/** How many families come out how, then each that is not exact; of those that vLLM does not serve refusals are counted only. */
export function familyTables(
  judged: readonly Judged[],
  versions: { readonly vllm: string; readonly transformers: string },
): readonly Table[] {
  const served = judged.filter((family) => family.served);
  const others = judged.filter((family) => !family.served);
  const told = [...served, ...others.filter(({ outcome }) => outcome.kind !== "refused")].filter(
    ({ outcome }) => outcome.kind !== "exact",
  );
  const summary: Table = {
    title: `Parameters of default configurations beside transformers ${versions.transformers} (near: within 1 %)`,
    columns: ["families", "all", ...KINDS],
    rows: [countRow(`served by vLLM ${versions.vllm}`, served), countRow("not served", others)],
  };
  const details: Table = { title: "Not exact", columns: ["family", "outcome", "why"], rows: told.map(detailRow) };
  return told.length > 0 ? [summary, details] : [summary];
}

/**
 * A number that is off misleads plans; one that is only near does so for a family that vLLM does not serve. Of each of the two kinds of
 * family there must be some.
 */
export function failuresOf(judged: readonly Judged[]): readonly string[] {
  const misleading = judged.flatMap(({ name, served, outcome }) => {
    const wrong = outcome.kind === "off" || (outcome.kind === "near" && !served);
    return wrong ? [`${name} is off by ${percent(outcome.error)}`] : [];
  });
  const absent = [true, false].filter((kind) => judged.every(({ served }) => served !== kind));
  return [
    ...misleading,
    ...absent.map((kind) => `no family that vLLM ${kind ? "serves" : "does not serve"} was counted`),
  ];
}

function countRow(title: string, families: readonly Judged[]): readonly string[] {
  const counts = KINDS.map((kind) => families.filter(({ outcome }) => outcome.kind === kind).length);
  return [title, String(families.length), ...counts.map(String)];
}

function detailRow({ name, served, outcome }: Judged): readonly string[] {
  return [served ? name : `${name} (not served)`, outcome.kind, explain(outcome)];
}

function explain(outcome: Outcome): string {
  if (outcome.kind === "exact") {
    return "";
  }
  // the first line of a reason names the model, the next ones say what is wrong
  if (outcome.kind === "refused") {
    return outcome.reason.split("\n").slice(1).join(" ").trim().replace(/\s+/g, " ");
  }
  return percent(outcome.error);
}

function percent(error: number): string {
  return `${error > 0 ? "+" : ""}${Number((error * 100).toPrecision(3))} %`;
}
