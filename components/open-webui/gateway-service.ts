import type { GatewayService } from "../gateway/service-routes";
import { OPEN_WEBUI, OPEN_WEBUI_PORT, openWebUiPods } from "./names";

/** 100 MB at 3 Mbit/s. */
const UPLOAD_SECONDS = 300;

/** Without a session the page serves the sign-in form only. */
export function openWebUiService(hostname: string): GatewayService {
  return {
    name: OPEN_WEBUI,
    hostname,
    service: OPEN_WEBUI,
    pods: openWebUiPods,
    port: OPEN_WEBUI_PORT,
    receiveSeconds: UPLOAD_SECONDS,
  };
}
