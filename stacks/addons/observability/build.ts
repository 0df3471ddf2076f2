import { Observability } from "../../../components/observability/observability";
import type { Built, Foundation, Given } from "../contract";
import type { ObservabilityConfig, ObservabilitySecret } from "./config";

export function build({
  settings,
  secrets,
  plan,
  name,
  options,
  ...foundation
}: Given<Foundation, ObservabilityConfig, ObservabilitySecret>): Built<Observability> {
  const { targets, gpuAccess, gpuPools, cluster, alerts, dashboards } = foundation;
  const component = new Observability(
    name,
    {
      ...settings,
      targets,
      gpuAccess,
      gpuPools,
      cluster,
      stage: plan.stage,
      alerts,
      dashboards,
      ...(secrets.alertWebhookUrl && { alertWebhookUrl: secrets.alertWebhookUrl }),
    },
    options(),
  );
  return { component, stackOutputs: { grafana: component.grafana } };
}
