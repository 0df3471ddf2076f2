/** A real Prometheus with recorded rules over a past of the tests: promtool evaluates, and prints what it has for what is asked. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Sample } from "../../../../cli/prometheus/client";
import { ruleGroups } from "../../../../components/observability/rules/rule-groups";
import type { InputSeries, RuleSubject } from "../../../../components/observability/rules/types";
import { evaluationOrder } from "../evaluation-order";
import { tool } from "../tool";

export interface Past {
  readonly subjects: readonly RuleSubject[];
  readonly series: InputSeries;
  readonly minutes: number;
  /** Minutes between two samples, and two evaluations. */
  readonly every: number;
}

/** One run of promtool answers all queries: what differs from the nothing that is expected of each is its answer. */
export function answersOf<Name extends string>(
  { subjects, series, minutes, every }: Past,
  queries: Readonly<Record<Name, string>>,
): Record<Name, Sample[]> {
  const folder = mkdtempSync(join(tmpdir(), "past-"));
  try {
    const groups = subjects.flatMap((subject) => ruleGroups({ ...subject, alerts: [] }));
    const test = {
      interval: `${every}m`,
      input_series: Object.entries(series).map(([selector, values]) => ({ series: selector, values })),
      promql_expr_test: Object.values<string>(queries).map((expr) => ({
        expr,
        eval_time: `${minutes}m`,
        exp_samples: [{ labels: "expected_by_nobody", value: 0 }],
      })),
    };
    writeFileSync(join(folder, "rules.yaml"), stringify({ groups }));
    writeFileSync(
      join(folder, "test.yaml"),
      stringify({
        rule_files: ["rules.yaml"],
        evaluation_interval: `${every}m`,
        group_eval_order: evaluationOrder(groups),
        tests: [test],
      }),
    );
    const { output } = tool("promtool", "test", "rules", join(folder, "test.yaml"));
    if (output.includes("err:")) {
      throw new Error(output);
    }
    const got = [...output.matchAll(/^\s*got: (.*(?:\n(?!\s*(?:expr|FAILED|rule)\b)\s+\{.*)*)$/gm)].map(
      ([, text = ""]) => samplesOf(text),
    );
    const names = Object.keys(queries) as Name[];
    if (got.length !== names.length) {
      throw new Error(`${names.length} queries, ${got.length} answers:\n${output.slice(0, 2000)}`);
    }
    return Object.fromEntries(names.map((name, i) => [name, got[i] ?? []])) as Record<Name, Sample[]>;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function samplesOf(text: string): Sample[] {
  return [...text.matchAll(/(?:^|[\s,])(?:[\w:]+)?\{([^}]*)\} ([-+.\dENaIf]+)/g)].map(
    ([, labels = "", value = ""]) => ({
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", of = ""]) => [name, of]),
      ),
      value: Number(value),
    }),
  );
}
