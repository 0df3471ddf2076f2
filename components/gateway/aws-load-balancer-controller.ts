import type * as pulumi from "@pulumi/pulumi";
import { AWS_ACCOUNTS } from "../../names/aws";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { Stage } from "../../planner/types";
import { awsControllerConnections } from "../autoscaling/connections";
import type { HelmValues } from "../core/chart-release";
import type { AwsGround } from "../core/cluster";
import type { Connection, PodSelection } from "../core/connections";
import { Controller } from "../core/controller";
import { ONE_AT_A_TIME } from "../core/disruption-budget";
import { type ClusterNetworks, fromKubernetesApi } from "../core/network";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, quantities } from "../core/resources";

const { namespace, serviceAccount } = AWS_ACCOUNTS.loadBalancers;

/** Name of the chart, of its release and of its Deployment. */
const RELEASE = "aws-load-balancer-controller";
/** Of its webhooks (chart 3.5.0). */
const WEBHOOK_PORT = 9443;

/** Its pods, by a label of its chart, and the port of their metrics. */
export const loadBalancerControllerPods: PodSelection & { readonly metricsPort: number } = {
  namespace,
  podLabels: { "app.kubernetes.io/name": RELEASE },
  serviceAccount,
  metricsPort: 8080,
};

/** What it connects to, and who calls its webhooks. */
export function loadBalancerControllerConnections(networks: ClusterNetworks): Connection[] {
  const name = "load-balancer-controller";
  return [
    ...awsControllerConnections(name, loadBalancerControllerPods, networks),
    fromKubernetesApi(name, loadBalancerControllerPods, [WEBHOOK_PORT]),
  ];
}

export interface AwsLoadBalancerControllerArgs {
  readonly stage: Stage;
  readonly ground: AwsGround;
}

/** The AWS Load Balancer Controller: it makes the gateway's load balancer, and takes it away when the gateway goes. */
export class AwsLoadBalancerController extends PlatformComponent {
  /** Its release: a Service that it answers for comes after it, and goes before it. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: AwsLoadBalancerControllerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:AwsLoadBalancerController", name, opts);
    const { stage, ground } = args;
    this.ready = new Controller(
      this.child("controller"),
      {
        namespace,
        contents: () => ({
          charts: [{ chart: RELEASE, release: RELEASE, values: loadBalancerControllerValues(stage, ground) }],
        }),
      },
      this.childOptions(),
    ).releases;
    this.registerOutputs({});
  }
}

/**
 * Values of the aws-load-balancer-controller chart, for network load balancers of Services and nothing else: those that ask
 * for it by annotation (components/cluster/load-balancers.ts), so that no Service of the cluster waits for its webhook.
 */
export function loadBalancerControllerValues(stage: Stage, { clusterName, region, vpcId }: AwsGround): HelmValues {
  return {
    clusterName,
    // Without these, it asks the metadata service of its node, which no pod reaches.
    region,
    vpcId,
    serviceAccount: { create: true, name: serviceAccount },
    replicaCount: replicasOf(stage),
    ...(replicasOf(stage) > 1 && { podDisruptionBudget: { ...ONE_AT_A_TIME } }),
    priorityClassName: PRIORITY.platform.name,
    podSecurityContext: { fsGroup: 65534, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    securityContext: { ...RESTRICTED_CONTAINER, runAsNonRoot: true },
    resources: { ...quantities(burstable({ cpu: 0.1, memoryGiB: 0.25 }, { cpu: 0.5, memoryGiB: 0.5 })) },
    // While it is down, the webhook would refuse every new Service of the cluster.
    enableServiceMutatorWebhook: false,
    // A new certificate at each upgrade would leave running pods with one that the API server no longer trusts.
    keepTLSSecret: true,
    createIngressClassResource: false,
    ingressClassParams: { create: false },
    webhookConfig: { disableIngressValidation: true },
    // Gateways are Envoy Gateway's.
    controllerConfig: {
      featureGates: { ALBGatewayAPI: false, NLBGatewayAPI: false, GlobalAcceleratorController: false },
    },
    enableShield: false,
    enableWaf: false,
    enableWafv2: false,
  };
}
