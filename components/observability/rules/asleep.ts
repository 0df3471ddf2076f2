/**
 * Routes not named after the model that sleeps: of guests on its server, and of its server group.
 */
import { modelNamespaceName } from "../../../names/namespaces";
import type { ModelEndpoint } from "../../serving/endpoint";
import { ASLEEP } from "./error-series";
import type { RecordingRule, RuleSubject } from "./types";

/** Names by which clients call a model. */
export type Named = Pick<ModelEndpoint, "model" | "namespace" | "node" | "revisionOf">;

/** Recorded for the model in whose namespace they run. */
export function sleepersByOtherNames(endpoints: readonly Named[]): RuleSubject {
  return { subject: "sleepers", recording: endpoints.flatMap(ofEndpoint), alerts: [] };
}

function ofEndpoint({ model, namespace, node, revisionOf }: Named): RecordingRule[] {
  const isGuest = namespace !== modelNamespaceName(model);
  // A canary group's path has a dot, and its series another name: its errors are not counted.
  const group = node && revisionOf === undefined ? [node.group] : [];
  return [...(isGuest ? [model] : []), ...group].map((name) => sleeper(name, namespace));
}

function sleeper(name: string, namespace: string): RecordingRule {
  const labels = { namespace: modelNamespaceName(name), model: name };
  return {
    record: ASLEEP,
    expr: `max(${ASLEEP}{namespace="${namespace}"})`,
    labels,
    about: "1 while the model that also answers by this name sleeps.",
    cases: {
      gives: {
        series: { [`${ASLEEP}{namespace="${namespace}",model="host"}`]: "1x10" },
        at: "5m",
        samples: { [`${ASLEEP}{namespace="${labels.namespace}",model="${name}"}`]: 1 },
      },
    },
  };
}
