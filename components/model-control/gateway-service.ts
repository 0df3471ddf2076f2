import { MODEL_CONTROL } from "../../names/services";
import type { GatewayService } from "../gateway/service-routes";
import { MODEL_CONTROL_PORTS, modelControlPods } from "./names";

export function modelControlService(hostname: string): GatewayService {
  return {
    name: MODEL_CONTROL,
    hostname,
    service: MODEL_CONTROL,
    pods: modelControlPods,
    port: MODEL_CONTROL_PORTS.http,
  };
}
