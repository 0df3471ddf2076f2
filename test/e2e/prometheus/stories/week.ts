/** A week in which nothing is wrong: models sleep, wake and grow, clients are refused, and two of them try again for ever. */

import { clientSeries, routeSeries } from "../../../../components/observability/rules/error-series";
import type { InputSeries } from "../../../../components/observability/rules/types";
import { freeRouteName } from "../../../../names/model-routes";
import { counter, gauge, times } from "./samples";
import { engineUp, labelledFor, replicas, well } from "./world";

const HOUR = 60;
const DAY = 24 * HOUR;
/** Minutes in which a model starts; it is planned for 1000 s. */
const START = 16;

/** Requests a minute of a client that is told to try again in ten seconds, and does; two of them ask for `small` all night. */
const RETRIES = 6;
const CLIENTS = 2;

const paused = 'keda_scaled_object_paused{namespace="keda",exported_namespace="model-small",scaledObject="replicas"}';
const unmet = (model: string) =>
  `envoy_cluster_upstream_cx_none_healthy{namespace="inference-gateway",pod="proxy-0",envoy_cluster_name="httproute/inference-gateway/model-${model}/rule/0"}`;

/** A pod that is gone for so many minutes: its series end at once. */
const goneFor = (minutes: number) =>
  [
    [1, "stale"],
    [minutes - 1, "_"],
  ] as const;

/** What the autoscaler of `chat` says: two replicas, and a third one from 8 to 18 o'clock, of at most four. */
function grows(days: number): InputSeries {
  const byDay = (night: number, day: number) =>
    gauge(
      ...times(days, [
        [8 * HOUR, night],
        [10 * HOUR, day],
        [6 * HOUR, night],
      ] as const),
    );
  const always = (value: number) => gauge([days * DAY, value]);
  const third = gauge(
    ...times(days, [[8 * HOUR, "_"], [START, 0], [10 * HOUR - START, 1], ...goneFor(6 * HOUR)] as const),
  );
  const of = 'namespace="model-chat",horizontalpodautoscaler="keda-hpa-replicas"';
  const figure = (name: string) => `kube_horizontalpodautoscaler_${name}{${of}}`;
  const condition = (name: string, status: string) =>
    `kube_horizontalpodautoscaler_status_condition{${of},condition="${name}",status="${status}"}`;
  return {
    ...replicas("chat", byDay(2, 3), always(1), always(1), third),
    [engineUp("chat", "chat-2")]: third,
    [figure("spec_min_replicas")]: always(2),
    [figure("spec_max_replicas")]: always(4),
    [figure("status_current_replicas")]: byDay(2, 3),
    [condition("ScalingActive", "true")]: always(1),
    [condition("ScalingActive", "false")]: always(0),
    // At night the two of its minimum are more than it needs.
    [condition("ScalingLimited", "true")]: byDay(1, 0),
    [condition("ScalingLimited", "false")]: byDay(0, 1),
  };
}

/**
 * So many days. `small` is stopped by the model control API from 22 to 6 o'clock, while two clients ask for it all night. `drafts` sleeps by
 * its plan; somebody asks at three at night until it is awake, for two hours. `chat` grows by day, has an error in 2,000 requests then, refuses
 * a tenth by its quotas, and free consumers besides.
 */
export function quietDays(days: number): InputSeries {
  const night = [6 * HOUR, 0] as const;
  const smallReady = times(days, [[6 * HOUR, "_"], [START, 0], [16 * HOUR - START, 1], ...goneFor(2 * HOUR)] as const);
  const asked = 3 * HOUR;
  const draftsReady = times(days, [
    [asked, "_"],
    [START, 0],
    [2 * HOUR - START, 1],
    ...goneFor(DAY - asked - 2 * HOUR),
  ] as const);
  const chatDay = [
    [8 * HOUR, 4],
    [10 * HOUR, 2000],
    [6 * HOUR, 4],
  ] as const;
  const refusedSmall = times(days, [
    [6 * HOUR + START, CLIENTS * RETRIES],
    [16 * HOUR - START, 0],
    [2 * HOUR, CLIENTS * RETRIES],
  ] as const);
  const refusedDrafts = times(days, [
    [asked, 0],
    [START, RETRIES],
    [DAY - asked - START, 0],
  ] as const);
  return labelledFor(days * DAY, {
    ...well(days * DAY),
    ...grows(days),
    ...replicas("small", gauge(...times(days, [night, [16 * HOUR, 1], [2 * HOUR, 0]] as const)), gauge(...smallReady)),
    ...replicas(
      "drafts",
      gauge(
        ...times(days, [
          [asked, 0],
          [2 * HOUR, 1],
          [DAY - asked - 2 * HOUR, 0],
        ] as const),
      ),
      gauge(...draftsReady),
    ),
    [paused]: gauge(
      ...times(days, [
        [6 * HOUR, 1],
        [16 * HOUR, 0],
        [2 * HOUR, 1],
      ] as const),
    ),
    ...routeSeries("chat", {
      "2": counter(...times(days, chatDay)),
      "4": counter([days * DAY, 100]),
      "5": counter(
        ...times(days, [
          [8 * HOUR, 0],
          [10 * HOUR, 1],
          [6 * HOUR, 0],
        ] as const),
      ),
    }),
    ...routeSeries("chat", { "5": counter([days * DAY, 30]) }, freeRouteName("chat")),
    ...routeSeries("small", {
      "2": counter(
        ...times(days, [
          [6 * HOUR + START, 0],
          [16 * HOUR - START, 3],
          [2 * HOUR, 0],
        ] as const),
      ),
      "5": counter(...refusedSmall),
    }),
    ...routeSeries("drafts", {
      "2": counter(
        ...times(days, [
          [asked + START, 0],
          [1, RETRIES],
          [DAY - asked - START - 1, 0],
        ] as const),
      ),
      "5": counter(...refusedDrafts),
    }),
    [unmet("small")]: counter(...refusedSmall),
    [unmet("drafts")]: counter(...refusedDrafts),
    ...clientSeries({
      "2": counter(...times(days, chatDay)),
      "4": counter([days * DAY, 100]),
      // By day: 1 of chat, 30 of free consumers; at night those of clients that wait besides.
      "5": counter(
        ...times(days, [
          [asked, 30 + CLIENTS * RETRIES],
          [START, 30 + (CLIENTS + 1) * RETRIES],
          [3 * HOUR, 30 + CLIENTS * RETRIES],
          [2 * HOUR - START, 30],
          [10 * HOUR, 31],
          [4 * HOUR, 30],
          [2 * HOUR, 30 + CLIENTS * RETRIES],
        ] as const),
      ),
    }),
  });
}
