import { stringify } from "yaml";
import { karpenterAlerts } from "../../../components/autoscaling/alerts";
import { ruleGroups } from "../../../components/observability/rules/rule-groups";
import { RULE_SUBJECTS } from "../../../components/observability/rules/subjects";
import type { AlertRule, RecordingRule, RuleCase } from "../../../components/observability/rules/types";
import { ADDON_ALERTS } from "../../../stacks/addons/watched";

/** All rules, those of add-ons included. */
export const SUBJECTS = [...RULE_SUBJECTS, ...ADDON_ALERTS, karpenterAlerts];

/** All rules in one file, as Prometheus loads them. */
export function rulesFile(): string {
  return stringify({ groups: SUBJECTS.flatMap((subject) => ruleGroups(subject)) });
}

/** A promtool test file: each alert fires once in one past and stays quiet in another; each recording gives its value. */
export function testFile(rulesPath: string): string {
  const alerts = SUBJECTS.flatMap((subject) => subject.alerts);
  const recordings = SUBJECTS.flatMap((subject) => subject.recording);
  return stringify({
    rule_files: [rulesPath],
    evaluation_interval: "1m",
    tests: [...alerts.flatMap(alertTests), ...recordings.map(recordingTest)],
  });
}

function alertTests({ alert, severity, cases }: AlertRule): object[] {
  const expr = `ALERTS{alertname="${alert}",alertstate="firing"}`;
  const labels = { alertname: alert, alertstate: "firing", severity, ...cases.fires.labels };
  const matchers = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return [
    past(`${alert} fires`, cases.fires, expr, [{ labels: `ALERTS{${matchers.join(",")}}`, value: 1 }]),
    past(`${alert} stays quiet`, cases.quiet, expr, []),
  ];
}

function recordingTest({ record, labels, cases: { gives } }: RecordingRule): object {
  const selector = Object.entries(labels ?? {}).map(([label, value]) => `${label}="${value}"`);
  const samples = Object.entries(gives.samples).map(([series, value]) => ({ labels: series, value }));
  return past(`${record} gives its value`, gives, `${record}{${selector.join(",")}}`, samples);
}

function past(
  name: string,
  { series, at }: RuleCase,
  expr: string,
  expected: { labels: string; value: number }[],
): object {
  return {
    name,
    interval: "1m",
    input_series: Object.entries(series).map(([selector, values]) => ({ series: selector, values })),
    promql_expr_test: [{ expr, eval_time: at, exp_samples: expected }],
  };
}
