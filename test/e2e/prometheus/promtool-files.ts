import { stringify } from "yaml";
import { ruleGroups } from "../../../components/observability/rules/rule-groups";
import type { AlertRule, RecordingRule, RuleCase, RuleSubject } from "../../../components/observability/rules/types";
import { ALL_SUBJECTS } from "../../components/observability/all-subjects";
import { evaluationOrder } from "./evaluation-order";

export const SUBJECTS = ALL_SUBJECTS;
const RECORDINGS = SUBJECTS.flatMap(({ recording }) => recording);

/** All rules in one file, as Prometheus loads them. */
export function rulesFile(): string {
  return groupsFile(SUBJECTS);
}

/** A file for promtool, by its name. */
export type PromtoolFiles = Readonly<Record<string, string>>;

/**
 * Rules and tests: each alert fires once in one past and stays quiet in another; each recording gives its value. A past has the rules
 * of one subject and the recordings that they read: promtool evaluates every rule of a file in every minute of its pasts.
 */
export function promtoolFiles(): PromtoolFiles {
  return Object.assign(
    {},
    ...SUBJECTS.map(({ subject, recording }) => ({ subject, recording, alerts: [] })).map(recordingFiles),
    ...SUBJECTS.map(({ subject, alerts }) => ({ subject, recording: [], alerts })).map(alertFiles),
  );
}

/** Of what `promtoolFiles` gives, those with tests. */
export function isTestFile(name: string): boolean {
  return name.endsWith(".test.yaml");
}

function recordingFiles(subject: RuleSubject): PromtoolFiles {
  return testFiles(`${subject.subject}-recording`, subject, subject.recording.map(recordingTest));
}

function alertFiles(subject: RuleSubject): PromtoolFiles {
  const ofDays = subject.alerts.filter(({ cases }) => OF_DAYS.test(cases.fires.at));
  const ofHours = subject.alerts.filter((alert) => !ofDays.includes(alert));
  return {
    ...testFiles(subject.subject, subject, ofHours.flatMap(alertTests)),
    ...testFiles(`${subject.subject}-days`, subject, ofDays.flatMap(alertTests), "1h"),
  };
}

/** Pasts of days are evaluated every hour, because promtool takes a minute of a core for each in minutes. */
const OF_DAYS = /^\d{2,}h$/;

function groupsFile(subjects: readonly RuleSubject[]): string {
  return stringify({ groups: subjects.flatMap((subject) => ruleGroups(subject)) });
}

function testFiles(name: string, subject: RuleSubject, tests: readonly object[], interval = "1m"): PromtoolFiles {
  if (tests.length === 0) {
    return {};
  }
  const rules = withRecordings(subject);
  return {
    [`${name}.rules.yaml`]: groupsFile(rules),
    [`${name}.test.yaml`]: stringify({
      rule_files: [`${name}.rules.yaml`],
      evaluation_interval: interval,
      group_eval_order: evaluationOrder(rules.flatMap((each) => ruleGroups(each))),
      tests,
    }),
  };
}

/** Of each subject the recordings that these rules read, directly or through others. */
function withRecordings(rules: RuleSubject): RuleSubject[] {
  const read = new Set<string>();
  const follow = ({ expr }: { readonly expr: string }) => {
    for (const [name] of expr.matchAll(/[a-z_][\w:]*/gi)) {
      const recorded = RECORDINGS.filter(({ record }) => record === name);
      if (recorded.length > 0 && !read.has(name)) {
        read.add(name);
        recorded.forEach(follow);
      }
    }
  };
  [...rules.recording, ...rules.alerts].forEach(follow);
  return SUBJECTS.map(({ subject, recording }) => ({
    subject,
    recording: recording.filter((rule) => read.has(rule.record) || rules.recording.includes(rule)),
    alerts: subject === rules.subject ? rules.alerts : [],
  }));
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
