import { Observability } from "../../../components/observability/observability";
import { nodeLabelsOf } from "../../../components/observability/rules/planned-cost";
import type { Built, Foundation, Given } from "../contract";
import type { ObservabilityConfig, ObservabilitySecret } from "./config";
import { placeLabels } from "./place";
import { operatorOf } from "./present";
import { receiversOf, secretsOf } from "./receivers";

export function build({
  settings,
  secrets,
  plan,
  name,
  options,
  ...foundation
}: Given<Foundation, ObservabilityConfig, ObservabilitySecret>): Built<Observability> {
  const { environment, targets, gpuAccess, gpuPools, cluster, alerts, dashboards, requestSources } = foundation;
  const receivers = receiversOf(settings.alerts, Object.keys(secrets));
  const component = new Observability(
    name,
    {
      ...(settings.prometheus === "platform" && {
        profile: settings.profile,
        retentionDays: settings.retentionDays,
        storageGiB: settings.storageGiB,
      }),
      operator: operatorOf(settings),
      runbookUrl: settings.runbookUrl,
      targets,
      gpuAccess,
      gpuPools,
      cluster,
      stage: plan.stage,
      alerts,
      dashboards,
      requestSources,
      receivers,
      receiverSecrets: secretsOf(receivers, secrets),
      receiverAuthorities: plan.receiverAuthorities,
      externalLabels: placeLabels(plan.environment, environment.cluster),
      nodeLabels: nodeLabelsOf(plan.pools),
    },
    options(),
  );
  const { grafana } = component;
  return { component, stackOutputs: grafana === undefined ? {} : { grafana } };
}
