import { gatewayAddress } from "../../../components/gateway/address";
import { inferenceTenants } from "../../../components/model-control/inference-settings";
import { ModelControl } from "../../../components/model-control/model-control";
import { relaySettings } from "../../../components/model-control/relay-settings";
import { gatewayTerms } from "../../../planner/gateway-terms";
import { tenantsOf } from "../../../planner/tenants";
import type { Built, Foundation, Given } from "../contract";
import { type ModelControlSettings, outsideWorkers } from "./config";
import { relays } from "./relay";

export function build({
  settings,
  environment,
  plan,
  endpoints,
  serving,
  cluster,
  traces,
  name,
  options,
}: Given<Foundation, ModelControlSettings, never>): Built<ModelControl> {
  const { image, allowedRegistries, warmModels, hostname, ollamaApi, idle, inference } = settings;
  const tenants = tenantsOf(environment.gateway.consumers, environment.models);
  const workers = outsideWorkers(settings);
  const component = new ModelControl(
    name,
    {
      image,
      endpoints,
      workers,
      allowedRegistries,
      warmModels,
      engines: endpoints.flatMap(({ model, control }) => (control && serving.servers[model]) ?? []),
      cluster,
      stage: plan.stage,
      traces,
      idle,
      ...(inference.enabled && {
        inference: { ...inference, tenants: inferenceTenants(tenants, endpoints) },
      }),
      ...(relays(plan, settings) && {
        relay: relaySettings({
          endpoints,
          workers,
          tenants,
          ollamaApi,
          ...gatewayTerms(environment.gateway, plan),
        }),
      }),
      ...(hostname !== undefined && { publicAddress: gatewayAddress({ ...environment.gateway, hostname }) }),
    },
    options(),
  );
  return { component, stackOutputs: { modelControl: component.usage } };
}
