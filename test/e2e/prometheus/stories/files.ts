/** Stories as promtool's input. */

import { stringify } from "yaml";
import { ruleGroups } from "../../../../components/observability/rules/rule-groups";
import type { InputSeries, RuleSubject } from "../../../../components/observability/rules/types";
import { metricNames } from "../../../components/observability/metric-names";
import { evaluationOrder } from "../evaluation-order";
import type { PromtoolFiles } from "../promtool-files";
import { QUIET_MINUTES, QUIET_STORIES, type QuietStory } from "./quiet";
import { FAULT, STORIES, type Story } from "./stories";
import { quietDays } from "./week";
import { labelledFor, RULES, well } from "./world";

/** Alerts that reach people. */
export const TOLD = 'ALERTS{alertstate="firing",severity=~"critical|warning"}';
const MINUTES_A_DAY = 24 * 60;

export interface PromtoolTest {
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly promql_expr_test: readonly object[];
}

export const inputs = (series: InputSeries) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }));
const asked = (minute: number, expr: string, labels?: string) => ({
  expr,
  eval_time: `${minute}m`,
  exp_samples: labels === undefined ? [] : [{ labels, value: 1 }],
});

/** Nothing fires before the fault, and its alert neither earlier than said nor later. */
function storyTest({ story, series, fault = FAULT, alert, after }: Story): PromtoolTest {
  const fires = `count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"})`;
  return {
    name: story,
    interval: "1m",
    input_series: inputs({ ...well(fault + 30), ...series }),
    promql_expr_test: [
      asked(fault - 1, `count by (alertname) (${TOLD})`),
      asked(fault + after - 1, fires),
      asked(fault + after, fires, `{alertname="${alert}"}`),
    ],
  };
}

/** Nothing fires in so many minutes. */
function quietTest(name: string, minutes: number, series: InputSeries): PromtoolTest {
  return {
    name,
    interval: "1m",
    input_series: inputs(series),
    promql_expr_test: [asked(minutes - 1, `count by (alertname) (count_over_time(${TOLD}[${minutes}m]))`)],
  };
}

function quietDaysTest(days: number): PromtoolTest {
  return quietTest(`${days} days in which nothing is wrong`, days * MINUTES_A_DAY, quietDays(days));
}

function quietStoryTest({ story, series }: QuietStory): PromtoolTest {
  return quietTest(story, QUIET_MINUTES, labelledFor(QUIET_MINUTES, { ...well(QUIET_MINUTES), ...series }));
}

/** Without rules that read nothing of what is there: they give nothing, and take their time. */
function rulesFor(rules: readonly RuleSubject[], tests: readonly PromtoolTest[]): readonly RuleSubject[] {
  const there = new Set(
    tests.flatMap(({ input_series }) => input_series.map(({ series }) => series.replace(/\{.*/, ""))),
  );
  const isRead = ({ expr }: { readonly expr: string }) =>
    expr.includes("absent(") || expr.includes("vector(") || metricNames(expr).some((name) => there.has(name));
  const recordings = rules.flatMap(({ recording }) => recording);
  // Recordings read recordings, four deep.
  for (let before = -1; before !== there.size; ) {
    before = there.size;
    for (const { record } of recordings.filter(isRead)) {
      there.add(record);
    }
  }
  return rules.map(({ subject, recording, alerts }) => ({
    subject,
    recording: recording.filter(isRead),
    alerts: alerts.filter(isRead),
  }));
}

/** @param rules of the environment. @default those of the stories */
export function testFile(
  name: string,
  interval: string,
  tests: readonly PromtoolTest[],
  rules: readonly RuleSubject[] = RULES,
): PromtoolFiles {
  const groups = rulesFor(rules, tests).flatMap((subject) => ruleGroups(subject));
  return {
    [`${name}.rules.yaml`]: stringify({ groups }),
    [`${name}.test.yaml`]: stringify({
      rule_files: [`${name}.rules.yaml`],
      evaluation_interval: interval,
      group_eval_order: evaluationOrder(groups),
      tests,
    }),
  };
}

/** All stories by the minute, and those in which nothing fires; a quiet day, for alerts that end soon; a quiet week, for what adds up over days. */
export function storyFiles(): PromtoolFiles {
  return {
    ...testFile("stories", "1m", STORIES.map(storyTest)),
    ...testFile("quiet", "1m", QUIET_STORIES.map(quietStoryTest)),
    ...testFile("day", "3m", [quietDaysTest(1)]),
    ...testFile("week", "30m", [quietDaysTest(7)]),
  };
}
