import { MODEL_CONTROL } from "../../names/services";
import type { GatewayService } from "../gateway/service-routes";
import { MODEL_CONTROL_PORTS, modelControlPods } from "./names";

/** The API behind the gateway, for token owners. */
export function modelControlService(hostname: string): GatewayService {
  return {
    name: MODEL_CONTROL,
    hostname,
    service: MODEL_CONTROL,
    pods: modelControlPods,
    port: MODEL_CONTROL_PORTS.http,
  };
}
