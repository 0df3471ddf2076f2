import type { ScalingSignalName } from "../../planner/scaling";
import type { Trigger } from "./keda-types";
import type { ScaledModel } from "./scaled-model";
import { scheduleTriggers } from "./schedule";
import { busyQuery, signalQuery } from "./signals";
import { seenSeconds, wakeQuery } from "./wake-signal";

/** Signals of all replicas together, divided by them, above 0 only with requests. */
const SHARED: readonly ScalingSignalName[] = ["queue"];

/** A value that signals never exceed. */
const NEVER = 1e9;

interface PrometheusTrigger {
  readonly name: string;
  readonly query: string;
  readonly threshold: number;
  readonly metricType: NonNullable<Trigger["metricType"]>;
  /** Above 0 only with requests: keeps the model awake or wakes it. */
  readonly tellsOfRequests: boolean;
}

/** KEDA triggers of a model: the highest requested count applies. */
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
    // Any number of requests wakes one replica; other triggers scale further.
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

/** One replica per unit of the query. */
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
      // Idle replicas use memory too, and must not stay awake because of it.
      ...(sleeps && { activationThreshold: String(tellsOfRequests ? 0 : NEVER) }),
      // By default an empty result counts as 0, and a lost target removes the replicas.
      ignoreNullValues: "false",
    },
  };
}
