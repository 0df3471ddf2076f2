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
 * The add-ons, in the order in which they are built: one that asks for another's component stands below it. A new one is a
 * folder beside this file, and its row here.
 */
export const ADDONS = [
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
