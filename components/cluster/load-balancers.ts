import { AWS_SETTINGS } from "../../kubernetes/aws-load-balancer";
import { OCI_SETTINGS, OCI_TYPE, ociType } from "../../kubernetes/oci-load-balancer";
import type { Labels } from "../../names/labels";
import type { LoadBalancer, LoadBalancerSettings } from "../core/cluster";

const anyNodePorts = (annotations: LoadBalancerSettings) => ({ annotations, fixedNodePorts: false });

/** No cloud: only the environment's settings. */
export const plainLoadBalancer: LoadBalancer = ({ chosen }) => anyNodePorts(chosen);

/**
 * OCI (oci-cloud-controller-manager, docs/load-balancer-annotations.md and load_balancer_spec.go at
 * 1100ac3, 2026-06-17).
 *
 * A network load balancer is transparent: with `externalTrafficPolicy: Local` proxies see client
 * addresses. Keepalive every 60 seconds is within its idle limit of 360. It has no bandwidth
 * setting, and changes security lists only on request.
 *
 * The flexible load balancer hides clients, does not forward keepalive, and closes idle connections
 * after 300 seconds. Used on request, or if any of its annotations is set: a network load balancer
 * would ignore `internal: "true"` and be public.
 */
export const ociLoadBalancer: LoadBalancer = (needs) => anyNodePorts(ociAnnotations(needs, "All"));

/**
 * OKE in a dedicated network: this stack's rules admit clients. The controller's default is "None"
 * for a network load balancer, "All" otherwise.
 */
export const okeLoadBalancer: LoadBalancer = (needs) => ({
  annotations: ociAnnotations(needs, "None"),
  fixedNodePorts: true,
});

function ociAnnotations(
  { idleSeconds, chosen }: Parameters<LoadBalancer>[0],
  securityLists: "All" | "None",
): LoadBalancerSettings {
  const { lb, nlb } = OCI_SETTINGS;
  if (ociType(chosen) === "nlb") {
    return { [OCI_TYPE]: "nlb", [`${nlb}security-list-management-mode`]: securityLists, ...chosen };
  }
  const hasShape = `${lb}shape` in chosen;
  return {
    [OCI_TYPE]: "lb",
    ...(securityLists === "None" && { [`${lb}security-list-management-mode`]: securityLists }),
    [`${lb}connection-idle-timeout`]: String(idleSeconds + IDLE_MARGIN_SECONDS),
    // The default is a fixed 100 Mbit/s.
    ...(!hasShape && {
      [`${lb}shape`]: "flexible",
      [`${lb}shape-flex-min`]: "10",
      [`${lb}shape-flex-max`]: "1000",
    }),
    ...chosen,
  };
}

/**
 * The gateway ends an idle request with an error before the load balancer closes the connection.
 */
const IDLE_MARGIN_SECONDS = 60;

const AWS_TARGET_TYPE = `${AWS_SETTINGS}nlb-target-type`;
/**
 * Pods with IP targets become ready only when their target is healthy
 * (docs/deploy/pod_readiness_gate.md). Pods created while the controller is down have no gate
 * (`podMutatorWebhookConfig.failurePolicy`, Ignore by default after 2.11.0).
 */
const AWS_GATED: Labels = { "elbv2.k8s.aws/pod-readiness-gate-inject": "enabled" };
/**
 * Pod targets get new connections for two minutes or more, regardless of the deregistration delay
 * (aws-load-balancer-controller#2366, #3270; aws/containers-roadmap#470). Node targets use health
 * checks instead.
 */
const AWS_DEREGISTER_SECONDS = 180;
/** Bounds of a network load balancer's TCP idle timeout, seconds. */
const AWS_IDLE = { least: 60, most: 6000 } as const;

/**
 * EKS with the AWS Load Balancer Controller (docs/guide/service/annotations.md and nlb.md at
 * 225f445, 2026-08-17): a network load balancer to the proxies' pod IPs. Client addresses need a
 * setting. Idle connections end after 350 seconds; the longer timeout covers clients without
 * keepalive. Internal unless the environment sets `scheme: internet-facing`.
 */
export const awsLoadBalancer: LoadBalancer = ({ idleSeconds, chosen }) => {
  const idle = Math.min(AWS_IDLE.most, Math.max(AWS_IDLE.least, idleSeconds + IDLE_MARGIN_SECONDS));
  const annotations: LoadBalancerSettings = {
    [`${AWS_SETTINGS}type`]: "external",
    [AWS_TARGET_TYPE]: "ip",
    [`${AWS_SETTINGS}target-group-attributes`]: "preserve_client_ip.enabled=true",
    [`${AWS_SETTINGS}listener-attributes.TCP-443`]: `tcp.idle_timeout.seconds=${idle}`,
    ...chosen,
  };
  const toPods = annotations[AWS_TARGET_TYPE] === "ip";
  return {
    ...anyNodePorts(annotations),
    ...(toPods && { namespaceLabels: AWS_GATED, deregisterSeconds: AWS_DEREGISTER_SECONDS }),
  };
};

/** Load balancer types by the name in cluster outputs. */
export const LOAD_BALANCERS = {
  plain: plainLoadBalancer,
  oci: ociLoadBalancer,
  oke: okeLoadBalancer,
  aws: awsLoadBalancer,
} as const;
export type LoadBalancerName = keyof typeof LOAD_BALANCERS;
export const LOAD_BALANCER_NAMES = Object.keys(LOAD_BALANCERS) as [LoadBalancerName, ...LoadBalancerName[]];

/** @throws Error for one missing from the table. */
export function loadBalancerName(loadBalancer: LoadBalancer): LoadBalancerName {
  const name = LOAD_BALANCER_NAMES.find((each) => LOAD_BALANCERS[each] === loadBalancer);
  if (name === undefined) {
    throw new Error("LOAD_BALANCERS lacks the load balancers of this cluster: add them under a name");
  }
  return name;
}
