import { Tracing } from "../../../components/tracing/tracing";
import type { Built, Foundation, Given } from "../contract";
import { observability } from "../observability/addon";
import type { TracingConfig, TracingSecret } from "./config";
import { samplingOf } from "./sampling";

export function build({
  settings,
  secrets: { tracingToken },
  plan,
  cluster,
  component: componentOf,
  name,
  options,
}: Given<Foundation, TracingConfig, TracingSecret>): Built<Tracing> {
  const { endpoint, retentionDays, storageGiB } = settings;
  const component = new Tracing(
    name,
    {
      sampling: samplingOf(settings, plan.stage),
      store:
        endpoint === undefined ? { kind: "jaeger", retentionDays, storageGiB } : { kind: "otlp", url: endpoint.url },
      token: tracingToken,
      storageClass: cluster.storageClass,
      protect: plan.stage === "production",
      grafana: componentOf(observability),
    },
    options(),
  );
  const { command } = component;
  return { component, stackOutputs: command === undefined ? {} : { traces: command } };
}
