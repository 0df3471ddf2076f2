import { gatewayAddress } from "../../../components/gateway/usage";
import { ModelControl } from "../../../components/model-control/model-control";
import type { Built, Foundation, Given } from "../contract";
import { type ModelControlSettings, outsideWorkers } from "./config";

export function build({
  settings,
  environment,
  plan,
  endpoints,
  serving,
  cluster,
  name,
  options,
}: Given<Foundation, ModelControlSettings, never>): Built<ModelControl> {
  const { image, allowedRegistries, warmModels, hostname } = settings;
  const component = new ModelControl(
    name,
    {
      image,
      endpoints,
      workers: outsideWorkers(settings),
      allowedRegistries,
      warmModels,
      engines: serving,
      cluster,
      stage: plan.stage,
      ...(hostname !== undefined && { publicAddress: gatewayAddress({ ...environment.gateway, hostname }) }),
    },
    options(),
  );
  return { component, stackOutputs: { modelControl: component.usage } };
}
