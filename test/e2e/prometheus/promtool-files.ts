import { stringify } from "yaml";
import { ruleGroups } from "../../../components/observability/rules/rule-groups";
import type { AlertRule, RecordingRule, RuleCase, RuleSubject } from "../../../components/observability/rules/types";
import { ALL_SUBJECTS } from "../../components/observability/all-subjects";
import { evaluationOrder } from "./evaluation-order";

export const SUBJECTS = ALL_SUBJECTS;

/** All rules in one file, as Prometheus loads them. */
export function rulesFile(): string {
  return groupsFile(SUBJECTS);
}

/** A file for promtool, by its name. */
export type PromtoolFiles = Readonly<Record<string, string>>;

const RECORDING = "recording.rules.yaml";

/**
 * Rules and tests: each alert fires once in one past and stays quiet in another; each recording gives its value. All recordings are
 * in each past, and of the alerts those of one subject: promtool evaluates every rule of a test for every minute of it.
 */
export function promtoolFiles(): PromtoolFiles {
  return Object.assign(
    { [RECORDING]: groupsFile(SUBJECTS.map((subject) => ({ ...subject, alerts: [] }))) },
    { "recording.test.yaml": testsFile(undefined, SUBJECTS.flatMap(({ recording }) => recording).map(recordingTest)) },
    ...SUBJECTS.filter(({ alerts }) => alerts.length > 0).map(alertFiles),
  );
}

/** Of what `promtoolFiles` gives, those with tests. */
export function isTestFile(name: string): boolean {
  return name.endsWith(".test.yaml");
}

function alertFiles({ subject, alerts }: RuleSubject): PromtoolFiles {
  return {
    [`${subject}.rules.yaml`]: groupsFile([{ subject, recording: [], alerts }]),
    ...testFiles(subject, alerts),
  };
}

/** Pasts of days are evaluated every hour, because promtool takes a minute of a core for each in minutes. */
function testFiles(subject: string, alerts: readonly AlertRule[]): PromtoolFiles {
  const ofDays = alerts.filter(({ cases }) => OF_DAYS.test(cases.fires.at));
  const ofHours = alerts.filter((alert) => !ofDays.includes(alert));
  return {
    ...(ofHours.length > 0 && { [`${subject}.test.yaml`]: testsFile(subject, ofHours.flatMap(alertTests)) }),
    ...(ofDays.length > 0 && { [`${subject}-days.test.yaml`]: testsFile(subject, ofDays.flatMap(alertTests), "1h") }),
  };
}

const OF_DAYS = /^\d{2,}h$/;

function groupsFile(subjects: readonly RuleSubject[]): string {
  return stringify({ groups: subjects.flatMap((subject) => ruleGroups(subject)) });
}

/** @param subject whose alerts are evaluated too. @default recordings alone */
function testsFile(subject: string | undefined, tests: readonly object[], interval = "1m"): string {
  const groups = SUBJECTS.flatMap((each) => ruleGroups(each.subject === subject ? each : { ...each, alerts: [] }));
  return stringify({
    rule_files: [RECORDING, ...(subject === undefined ? [] : [`${subject}.rules.yaml`])],
    evaluation_interval: interval,
    group_eval_order: evaluationOrder(groups),
    tests,
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
