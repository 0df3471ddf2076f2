import type * as pulumi from "@pulumi/pulumi";
import { CERT_MANAGER_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import type { PodSelection } from "../core/connections";
import type { ControllerArgs } from "../core/controller";
import { EVICTS_UNREADY_PODS } from "../core/disruption-budget";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, quantities } from "../core/resources";

/** The platform's or an existing cert-manager. */
export interface CertManager {
  /** Cluster resource namespace with keys of ClusterIssuers. */
  readonly namespace: pulumi.Input<string>;
  /** Prerequisite of certificates: the release with the CRDs. */
  readonly ready: readonly pulumi.Resource[];
}

/** An ACME server. */
export interface AcmeServer {
  /** `https` URL of the ACME directory. @default Let's Encrypt */
  readonly server?: string;
}

const CERT_MANAGER_RELEASE = "cert-manager";

/** Controller pods, which expose certificate expiry, by chart labels, and their metrics port. */
export const certManagerPods: PodSelection & { readonly metricsPort: number } = {
  namespace: CERT_MANAGER_NAMESPACE,
  podLabels: { "app.kubernetes.io/name": "cert-manager", "app.kubernetes.io/component": "controller" },
  // The chart names the controller's account like the release, which contains the chart's name.
  serviceAccount: CERT_MANAGER_RELEASE,
  metricsPort: 9402,
};

export interface CertManagerSettings {
  readonly stage: Stage;
  /** Gateway API CRDs for HTTP-01 challenges: cert-manager looks for them only at start. */
  readonly gatewayApi: readonly pulumi.Resource[];
  /** Whether HTTP-01 challenges use the Gateway. */
  readonly acme: boolean;
}

export function certManagerController({ stage, gatewayApi, acme }: CertManagerSettings): ControllerArgs {
  return {
    namespace: CERT_MANAGER_NAMESPACE,
    after: gatewayApi,
    contents: () => ({
      charts: [{ chart: "cert-manager", release: CERT_MANAGER_RELEASE, values: certManagerValues(stage, acme) }],
    }),
  };
}

/**
 * Values of the cert-manager chart.
 *
 * @param acme answer HTTP-01 challenges through the Gateway; needs the Gateway API's CRDs at start.
 */
function certManagerValues(stage: Stage, acme: boolean): HelmValues {
  const replicas = {
    replicaCount: replicasOf(stage),
    podDisruptionBudget: { enabled: stage === "production", ...EVICTS_UNREADY_PODS },
  };
  const controller = quantities(burstable({ cpu: 0.1, memoryGiB: 0.25 }, { cpu: 1, memoryGiB: 1 }));
  const helper = quantities(burstable({ cpu: 0.05, memoryGiB: 0.0625 }, { cpu: 0.5, memoryGiB: 0.5 }));
  return {
    crds: { enabled: true },
    ...replicas,
    resources: controller,
    webhook: { ...replicas, resources: helper },
    cainjector: { ...replicas, resources: controller },
    startupapicheck: { resources: helper },
    global: {
      priorityClassName: PRIORITY.platform.name,
      // The default is kube-system, outside the platform's NetworkPolicies and quotas.
      leaderElection: { namespace: CERT_MANAGER_NAMESPACE },
    },
    ...(acme && { config: { gatewayAPI: { enabled: true } } }),
  };
}
