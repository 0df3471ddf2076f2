import type { ScalingSignalName } from "../../planner/scaling";
import type { Trigger } from "./keda-types";
import type { ScaledModel } from "./scaled-model";
import { scheduleTriggers } from "./schedule";
import { busyQuery, signalQuery } from "./signals";
import { seenSeconds, wakeQuery } from "./wake-signal";

/** Signals that say something of all replicas together, to be shared by them, and that are above 0 only while somebody asks. */
const SHARED: readonly ScalingSignalName[] = ["queue"];

/** No signal is ever above it. */
const NEVER = 1e9;

interface PrometheusTrigger {
  readonly name: string;
  readonly query: string;
  readonly threshold: number;
  readonly metricType: NonNullable<Trigger["metricType"]>;
  /** It is above 0 only while somebody asks for the model: this keeps it awake, or wakes it. */
  readonly tellsOfRequests: boolean;
}

/** What KEDA scales a model by: the one that asks for most replicas counts. */
export function triggers(scaled: ScaledModel, prometheusUrl: string): Trigger[] {
  const { scaling, served } = scaled;
  const sleeps = scaling.min === 0;
  const busy = busyQuery(scaled);
  const asked: readonly PrometheusTrigger[] = [
    ...scaling.signals.map(({ on, target }): PrometheusTrigger => {
      const shared = SHARED.includes(on);
      return {
        name: on,
        query: signalQuery(on, scaled),
        threshold: target,
        metricType: shared ? "AverageValue" : "Value",
        tellsOfRequests: shared,
      };
    }),
    ...(busy === undefined ? [] : [ofRequests("busy", busy)]),
    // However many ask, they wake one replica: how many more it takes, others say once it runs.
    ...(sleeps
      ? [
          ofRequests(
            "wake",
            `clamp_max(${served.map((each) => `(${wakeQuery(each, seenSeconds(scaling))})`).join(" + ")}, 1)`,
          ),
        ]
      : []),
  ];
  return [
    ...asked.map((trigger) => prometheusTrigger(trigger, { prometheusUrl, sleeps })),
    ...scheduleTriggers(scaling.schedule),
  ];
}

/** One replica for each 1 that the query says. */
function ofRequests(name: string, query: string): PrometheusTrigger {
  return { name, query, threshold: 1, metricType: "AverageValue", tellsOfRequests: true };
}

function prometheusTrigger(
  { name, query, threshold, metricType, tellsOfRequests }: PrometheusTrigger,
  { prometheusUrl, sleeps }: { readonly prometheusUrl: string; readonly sleeps: boolean },
): Trigger {
  return {
    type: "prometheus",
    name,
    metricType,
    metadata: {
      serverAddress: prometheusUrl,
      query,
      threshold: String(threshold),
      // A replica that nobody asks has memory in use too, and must go.
      ...(sleeps && { activationThreshold: String(tellsOfRequests ? 0 : NEVER) }),
      // By default nothing found counts as 0, and a lost target takes the replicas away.
      ignoreNullValues: "false",
    },
  };
}
