/** A week in which nothing is wrong: models sleep and wake, clients are refused, and one of them tries again for ever. */

import { clientSeries, routeSeries } from "../../../../components/observability/rules/error-series";
import type { InputSeries } from "../../../../components/observability/rules/types";
import { freeRouteName } from "../../../../names/model-routes";
import { counter, gauge, times } from "./samples";
import { labelledFor, replicas, well } from "./world";

const HOUR = 60;
const DAY = 24 * HOUR;
/** Minutes in which a model starts; it is planned for 1000 s. */
const START = 16;

/** Requests a minute of a client that is told to try again in ten seconds, and does. */
const RETRIES = 6;

const paused = 'keda_scaled_object_paused{namespace="keda",exported_namespace="model-small",scaledObject="replicas"}';
const unmet = (model: string) =>
  `envoy_cluster_upstream_cx_none_healthy{namespace="inference-gateway",pod="proxy-0",envoy_cluster_name="httproute/inference-gateway/model-${model}/rule/0"}`;

/**
 * So many days. `small` is stopped by the model control API from 22 to 6 o'clock, while one client asks for it all night. `drafts` sleeps by
 * its plan; somebody asks at three at night until it is awake, for two hours. `chat` has an error in 2,000 requests by day, refuses a tenth
 * by its quotas, and free consumers besides.
 */
export function quietDays(days: number): InputSeries {
  const night = [6 * HOUR, 0] as const;
  const smallReady = times(days, [
    [6 * HOUR, "_"],
    [START, 0],
    [16 * HOUR - START, 1],
    [2 * HOUR, "_"],
  ] as const);
  const asked = 3 * HOUR;
  const draftsReady = times(days, [
    [asked, "_"],
    [START, 0],
    [2 * HOUR - START, 1],
    [DAY - asked - 2 * HOUR, "_"],
  ] as const);
  const chatDay = [
    [8 * HOUR, 4],
    [10 * HOUR, 2000],
    [6 * HOUR, 4],
  ] as const;
  const refusedSmall = times(days, [
    [6 * HOUR + START, RETRIES],
    [16 * HOUR - START, 0],
    [2 * HOUR, RETRIES],
  ] as const);
  const refusedDrafts = times(days, [
    [asked, 0],
    [START, RETRIES],
    [DAY - asked - START, 0],
  ] as const);
  return labelledFor(days * DAY, {
    ...well(days * DAY),
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
          [asked, 30 + RETRIES],
          [START, 30 + 2 * RETRIES],
          [3 * HOUR, 30 + RETRIES],
          [2 * HOUR - START, 30],
          [10 * HOUR, 31],
          [4 * HOUR, 30],
          [2 * HOUR, 30 + RETRIES],
        ] as const),
      ),
    }),
  });
}
