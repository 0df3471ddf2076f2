/** What looks like a failure for a while, and is none: nothing of it may page. */
import { connectSeries } from "../../../../components/observability/rules/gateway";
import { pastAtGateway } from "../../../../components/observability/rules/silent";
import type { InputSeries } from "../../../../components/observability/rules/types";
import { seriesOf } from "../../../../engines/metrics";
import { modelRouteName } from "../../../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../../../names/namespaces";
import { counter, gauge } from "./samples";
import * as world from "./world";

/** Minutes until it begins, and of all. */
const BEGINS = 30;
export const QUIET_MINUTES = 90;
const rest = QUIET_MINUTES - BEGINS;

export interface QuietStory {
  readonly story: string;
  /** What is otherwise than where nothing is wrong. */
  readonly series: InputSeries;
}

/** One value until it begins, another for so many minutes, and what it was before. */
const meanwhile = (before: number, minutes: number, during: number) =>
  gauge([BEGINS, before], [minutes, during], [rest - minutes, before]);

/** A pod that starts when it begins, and is ready after so many minutes: until then its engine answers nothing. */
function starts(model: string, pod: string, minutes: number): InputSeries {
  const samples = gauge([BEGINS, "_"], [minutes, 0], [rest - minutes, 1]);
  return { [world.engineUp(model, pod)]: samples };
}
const [summary] = seriesOf("latencySummaryMicroseconds");
const WEIGHTS = 15;
const loading = gauge([BEGINS, "_"], [WEIGHTS, 0], [rest - WEIGHTS, 1]);

export const QUIET_STORIES: readonly QuietStory[] = [
  {
    story: "answers of text on Triton take seconds",
    series: {
      [`${summary}{namespace="model-drafts",pod="drafts-0",model="drafts",version="1",quantile="0.99"}`]: gauge([
        QUIET_MINUTES,
        9_000_000,
      ]),
    },
  },
  {
    story: "one text of Triton takes nine minutes, and is not streamed",
    series: pastAtGateway("drafts", meanwhile(0, 9, 1), counter([BEGINS + 9, 0], [1, 4000], [rest - 10, 0])),
  },
  {
    story: "connections to an external model take a tenth of a second",
    series: connectSeries(`httproute/${GATEWAY_NAMESPACE}/${modelRouteName("hosted")}/rule/0`, {
      "100": counter([QUIET_MINUTES, 3]),
      "250": counter([QUIET_MINUTES, 6]),
    }),
  },
  {
    story: "a model grows by two replicas, which load their weights",
    series: {
      ...world.replicas(
        "chat",
        gauge([BEGINS, 2], [rest, 4]),
        gauge([QUIET_MINUTES, 1]),
        gauge([QUIET_MINUTES, 1]),
        loading,
        loading,
      ),
      ...starts("chat", "chat-2", WEIGHTS),
      ...starts("chat", "chat-3", WEIGHTS),
    },
  },
  {
    story: "a model starts for the first time",
    series: {
      ...world.replicas("drafts", gauge([BEGINS, 0], [rest, 1]), loading),
      ...starts("drafts", "drafts-0", WEIGHTS),
    },
  },
  {
    story: "drivers are upgraded on a node that was drained for it",
    series: {
      [world.cordoned("gpu-1")]: meanwhile(0, 30, 1),
      [world.gpus("capacity")]: gauge([BEGINS, 8], [8, 8], [17, 0], [rest - 25, 8]),
      [world.gpus("allocatable")]: gauge([BEGINS + 2, 8], [23, 0], [rest - 25, 8]),
      [world.XID]: gauge([BEGINS + 2, 0], [23, "_"], [rest - 25, 0]),
      [world.TEMPERATURE]: gauge([BEGINS + 2, 60], [23, "_"], [rest - 25, 60]),
    },
  },
  {
    story: "a node is drained and reboots for 12 minutes",
    series: {
      [world.cordoned("gpu-1")]: meanwhile(0, 20, 1),
      [world.nodeReady("gpu-1")]: meanwhile(1, 12, 0),
      [world.gpus("allocatable")]: gauge([BEGINS + 12, 8], [6, 0], [rest - 18, 8]),
      [world.TEMPERATURE]: gauge([BEGINS, 60], [19, "_"], [rest - 19, 60]),
    },
  },
  {
    story: "XID 154 alone: what would mend a GPU has changed",
    series: { [world.XID]: gauge([BEGINS, 0], [rest, 154]) },
  },
  {
    story: "a busy GPU reaches its cap of power",
    series: { [world.CLOCK_REASONS]: gauge([QUIET_MINUTES, 4]) },
  },
];
