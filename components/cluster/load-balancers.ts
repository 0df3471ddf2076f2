import { OCI_SETTINGS, OCI_TYPE, ociType } from "../../kubernetes/oci-load-balancer";
import type { Labels } from "../../names/labels";
import type { LoadBalancer, LoadBalancerSettings } from "../core/cluster";

const anyNodePorts = (annotations: LoadBalancerSettings) => ({ annotations, fixedNodePorts: false });

/** No cloud: what the environment says. */
export const plainLoadBalancer: LoadBalancer = ({ chosen }) => anyNodePorts(chosen);

/**
 * OCI (oci-cloud-controller-manager, docs/load-balancer-annotations.md and load_balancer_spec.go at 1100ac3, 2026-06-17).
 *
 * A network load balancer passes connections through: with `externalTrafficPolicy: Local` the proxies see the client's
 * address, and their TCP keepalive, every 60 seconds, is activity within its 360. It has no bandwidth to buy. Its
 * security lists are left alone unless asked for.
 *
 * The load balancer proper is another TCP endpoint: it hides the client, does not pass keepalive on, and ends silent
 * connections after 300 seconds. It is made where the environment asks for it, or sets anything of it: its
 * `internal: "true"` would mean nothing to the other kind, and the gateway would be public.
 */
export const ociLoadBalancer: LoadBalancer = (needs) => anyNodePorts(ociAnnotations(needs, "All"));

/**
 * OKE in a network of ours: its rules let clients in to the gateway's node ports, and nobody but Pulumi edits them.
 * The controller's default is "None" for a network load balancer, "All" for the other kind.
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

/** The gateway ends a silent request itself, with an answer that says so, before the load balancer cuts it. */
const IDLE_MARGIN_SECONDS = 60;

const AWS = "service.beta.kubernetes.io/aws-load-balancer-";
const AWS_TARGET_TYPE = `${AWS}nlb-target-type`;
/**
 * A pod is ready when its target is healthy, no sooner (docs/deploy/pod_readiness_gate.md): for targets that are addresses of pods. Of pods that
 * are made while the controller is away are not checked (`podMutatorWebhookConfig.failurePolicy`, Ignore by default after 2.11.0).
 */
const AWS_GATED: Labels = { "elbv2.k8s.aws/pod-readiness-gate-inject": "enabled" };
/**
 * Targets that are pods are deregistered through EC2's API, and get new connections meanwhile: two minutes and more, whatever the target
 * group's own delay (aws-load-balancer-controller#2366, #3270; aws/containers-roadmap#470). Nodes as targets are asked for health instead.
 */
const AWS_DEREGISTER_SECONDS = 180;
/** Bounds of a network load balancer's TCP idle timeout, seconds. */
const AWS_IDLE = { least: 60, most: 6000 } as const;

/**
 * EKS with the AWS Load Balancer Controller (docs/guide/service/annotations.md and nlb.md at 225f445, 2026-08-17): a network
 * load balancer straight to the proxies' addresses. It gives them the client's address only when asked to, and forgets
 * silent connections after 350 seconds; keepalive counts as activity, the longer timeout is for those of clients that
 * it does not reach. It is internal unless the environment writes `scheme: internet-facing`.
 */
export const awsLoadBalancer: LoadBalancer = ({ idleSeconds, chosen }) => {
  const idle = Math.min(AWS_IDLE.most, Math.max(AWS_IDLE.least, idleSeconds + IDLE_MARGIN_SECONDS));
  const annotations: LoadBalancerSettings = {
    [`${AWS}type`]: "external",
    [AWS_TARGET_TYPE]: "ip",
    [`${AWS}target-group-attributes`]: "preserve_client_ip.enabled=true",
    [`${AWS}listener-attributes.TCP-443`]: `tcp.idle_timeout.seconds=${idle}`,
    ...chosen,
  };
  const toPods = annotations[AWS_TARGET_TYPE] === "ip";
  return {
    ...anyNodePorts(annotations),
    ...(toPods && { namespaceLabels: AWS_GATED, deregisterSeconds: AWS_DEREGISTER_SECONDS }),
  };
};

/** Every way in which clusters make load balancers, by the name under which a stack says it to others. */
export const LOAD_BALANCERS = {
  plain: plainLoadBalancer,
  oci: ociLoadBalancer,
  oke: okeLoadBalancer,
  aws: awsLoadBalancer,
} as const;
export type LoadBalancerName = keyof typeof LOAD_BALANCERS;
export const LOAD_BALANCER_NAMES = Object.keys(LOAD_BALANCERS) as [LoadBalancerName, ...LoadBalancerName[]];

/** @throws Error for one that the table lacks: another stack could not know of it. */
export function loadBalancerName(loadBalancer: LoadBalancer): LoadBalancerName {
  const name = LOAD_BALANCER_NAMES.find((each) => LOAD_BALANCERS[each] === loadBalancer);
  if (name === undefined) {
    throw new Error("LOAD_BALANCERS lacks the load balancers of this cluster: add them under a name");
  }
  return name;
}
