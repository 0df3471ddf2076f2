import type { GatewayService } from "../gateway/service-routes";
import { OPEN_WEBUI, OPEN_WEBUI_PORT, openWebUiPods } from "./names";

/** The page behind the gateway, at a hostname of its own: whoever is not signed in gets the form, and nothing else. */
export function openWebUiService(hostname: string): GatewayService {
  return { name: OPEN_WEBUI, hostname, service: OPEN_WEBUI, pods: openWebUiPods, port: OPEN_WEBUI_PORT };
}
