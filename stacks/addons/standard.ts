import { beta9 } from "./beta9/addon";
import { gitops } from "./gitops/addon";
import { logging } from "./logging/addon";
import { modelControl } from "./model-control/addon";
import { observability } from "./observability/addon";
import { openWebUi } from "./open-webui/addon";
import { portainer } from "./portainer/addon";
import { rancher } from "./rancher/addon";
import { tracing } from "./tracing/addon";

/**
 * In build order: an add-on comes after those whose component it uses. A new one is a folder next
 * to this file, and a row here. The package has none of these rows: users choose.
 */
export const STANDARD_ADDONS = [
  modelControl,
  observability,
  tracing,
  logging,
  beta9,
  openWebUi,
  portainer,
  rancher,
  gitops,
] as const;
