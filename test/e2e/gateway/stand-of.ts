import { priorityClasses } from "../../../components/core/priority-classes";
import { GatewayStand, type StandOptions } from "../../../rehearsal/cluster/gateway/stand";
import { deployGateway } from "../../components/gateway/fixture";
import { deploy } from "../../harness/deploy";

/** The real gateway for models of a test, and nothing else of a platform. */
export async function standOf(
  gateway: Parameters<typeof deployGateway>[0],
  options: StandOptions = {},
  controllers: Parameters<typeof deployGateway>[1] = {},
): Promise<GatewayStand> {
  const { deployment } = await deployGateway(gateway, controllers);
  // The proxies name one; a platform makes them before anything else.
  const classes = await deploy(() => priorityClasses("priority", {}));
  return GatewayStand.start([...classes.recording.resources, ...deployment.recording.resources], options);
}
