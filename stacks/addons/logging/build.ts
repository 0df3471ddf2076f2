import { Logging } from "../../../components/logging/logging";
import { TRACES_SOURCE } from "../../../components/tracing/names";
import type { Built, Foundation, Given } from "../contract";
import { observability } from "../observability/addon";
import { tracing } from "../tracing/addon";
import type { LoggingConfig } from "./config";

export function build({
  settings,
  plan,
  cluster,
  component: componentOf,
  name,
  options,
}: Given<Foundation, LoggingConfig, never>): Built<Logging> {
  const component = new Logging(
    name,
    {
      ...settings,
      storageClass: cluster.storageClass,
      protect: plan.stage === "production",
      tracesSource: componentOf(tracing)?.command === undefined ? undefined : TRACES_SOURCE.uid,
      grafana: componentOf(observability),
    },
    options(),
  );
  return { component, stackOutputs: { logs: component.command } };
}
