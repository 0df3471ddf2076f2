/** Queries of all dashboards, asked of Prometheus' own engine: each has an answer where what it reads has samples. */
import { describe, expect, it } from "vitest";
import { DASHBOARDS } from "../../../components/observability/dashboards/all";
import type { InputSeries } from "../../../components/observability/rules/types";
import { ADDON_DASHBOARDS } from "../../../stacks/addons/watched";
import { ALL_SUBJECTS } from "../../components/observability/all-subjects";
import { answersOf } from "./month/prometheus";
import { PANEL_SERIES } from "./panel-series";

const MINUTES = 12;

/** As Grafana asks for all that a variable has. */
function asked(expr: string): string {
  return expr.replaceAll("$__rate_interval", "5m").replace(/\$[a-z_]\w*/g, ".*");
}

const queries = Object.fromEntries(
  [...DASHBOARDS, ...ADDON_DASHBOARDS].flatMap(({ uid, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap(({ title, queries: all }) => all.map(({ expr }, i) => [`${uid}: ${title} ${i + 1}`, asked(expr)])),
    ),
  ),
);

const steady = (samples: Readonly<Record<string, number>>): InputSeries =>
  Object.fromEntries(Object.entries(samples).map(([name, value]) => [name, `${value}x${2 * MINUTES}`]));

/** What rules read in their cases, what they record there, and what panels alone read. */
const series: InputSeries = Object.assign(
  {},
  ...ALL_SUBJECTS.flatMap(({ alerts }) => alerts.map(({ cases }) => cases.fires.series)),
  ...ALL_SUBJECTS.flatMap(({ recording }) =>
    recording.map(({ cases: { gives } }) => ({ ...gives.series, ...steady(gives.samples) })),
  ),
  PANEL_SERIES,
);

describe("panels of dashboards", () => {
  it("each have an answer", { timeout: 200_000 }, () => {
    const answers = answersOf({ subjects: [], series, minutes: MINUTES, every: 1 }, queries);
    expect(Object.keys(queries).filter((name) => answers[name]?.length === 0)).toEqual([]);
  });
});
