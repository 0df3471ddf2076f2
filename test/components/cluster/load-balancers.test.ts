import { describe, expect, it } from "vitest";
import {
  awsLoadBalancer,
  ociLoadBalancer,
  okeLoadBalancer,
  plainLoadBalancer,
} from "../../../components/cluster/load-balancers";
import { unreadOciSettings } from "../../../kubernetes/oci-load-balancer";

const TYPE = "oci.oraclecloud.com/load-balancer-type";
const LB = "service.beta.kubernetes.io/oci-load-balancer-";
const NLB = "oci-network-load-balancer.oraclecloud.com/";
const AWS = "service.beta.kubernetes.io/aws-load-balancer-";

describe("load balancers", () => {
  it("pass connections through on OCI, so that keepalive and the client's address do", () => {
    expect(ociLoadBalancer({ idleSeconds: 600, chosen: {} }).annotations).toEqual({
      [TYPE]: "nlb",
      [`${NLB}security-list-management-mode`]: "All",
    });
  });

  it("stay what the environment asks for on OCI: an internal one never becomes public", () => {
    const chosen = { [`${LB}internal`]: "true" };
    expect(ociLoadBalancer({ idleSeconds: 600, chosen }).annotations).toEqual({
      [TYPE]: "lb",
      [`${LB}connection-idle-timeout`]: "660",
      [`${LB}shape`]: "flexible",
      [`${LB}shape-flex-min`]: "10",
      [`${LB}shape-flex-max`]: "1000",
      ...chosen,
    });
    expect(ociLoadBalancer({ idleSeconds: 600, chosen: { [`${NLB}internal`]: "true" } }).annotations).toMatchObject({
      [TYPE]: "nlb",
      [`${NLB}internal`]: "true",
    });
  });

  it("take the environment's shape, idle time and security lists before ours", () => {
    const lb = { [TYPE]: "lb", [`${LB}shape`]: "400Mbps", [`${LB}connection-idle-timeout`]: "900" };
    expect(ociLoadBalancer({ idleSeconds: 600, chosen: lb }).annotations).toEqual(lb);
    const nlb = { [`${NLB}security-list-management-mode`]: "None" };
    expect(ociLoadBalancer({ idleSeconds: 600, chosen: nlb }).annotations).toEqual({ [TYPE]: "nlb", ...nlb });
  });

  it("leave the rules of a network of ours alone, and send to the ports that it opens", () => {
    expect(okeLoadBalancer({ idleSeconds: 600, chosen: {} })).toEqual({
      annotations: { [TYPE]: "nlb", [`${NLB}security-list-management-mode`]: "None" },
      fixedNodePorts: true,
    });
    expect(okeLoadBalancer({ idleSeconds: 600, chosen: { [`${LB}internal`]: "true" } })).toMatchObject({
      annotations: { [TYPE]: "lb", [`${LB}internal`]: "true", [`${LB}security-list-management-mode`]: "None" },
      fixedNodePorts: true,
    });
    expect(ociLoadBalancer({ idleSeconds: 600, chosen: {} }).fixedNodePorts).toBe(false);
  });

  it("know which settings nobody would read", () => {
    expect(unreadOciSettings({ [TYPE]: "nlb", [`${LB}internal`]: "true" })).toEqual([`${LB}internal`]);
    expect(unreadOciSettings({ [TYPE]: "lb", [`${NLB}internal`]: "true" })).toEqual([`${NLB}internal`]);
    expect(unreadOciSettings({ [`${LB}internal`]: "true", [`${NLB}subnet`]: "x" })).toEqual([`${NLB}subnet`]);
    expect(unreadOciSettings({ [`${NLB}internal`]: "true", "example.com/team": "x" })).toEqual([]);
  });

  it("keep silent streams and the client's address on AWS, and stay internal until told", () => {
    const chosen = { [`${AWS}scheme`]: "internet-facing" };
    const ours = {
      [`${AWS}type`]: "external",
      [`${AWS}nlb-target-type`]: "ip",
      [`${AWS}target-group-attributes`]: "preserve_client_ip.enabled=true",
      [`${AWS}listener-attributes.TCP-443`]: "tcp.idle_timeout.seconds=660",
    };
    expect(awsLoadBalancer({ idleSeconds: 600, chosen: {} }).annotations).toEqual(ours);
    expect(awsLoadBalancer({ idleSeconds: 600, chosen }).annotations).toEqual({ ...ours, ...chosen });
    expect(
      awsLoadBalancer({ idleSeconds: 600, chosen: { [`${AWS}nlb-target-type`]: "instance" } }).annotations,
    ).toMatchObject({
      [`${AWS}nlb-target-type`]: "instance",
    });
    const gated = { "elbv2.k8s.aws/pod-readiness-gate-inject": "enabled" };
    expect(awsLoadBalancer({ idleSeconds: 600, chosen: {} }).namespaceLabels).toEqual(gated);
    expect(awsLoadBalancer({ idleSeconds: 600, chosen: {} }).deregisterSeconds).toBe(180);
    const instances = { [`${AWS}nlb-target-type`]: "instance" };
    expect(awsLoadBalancer({ idleSeconds: 600, chosen: instances }).namespaceLabels).toBeUndefined();
    expect(awsLoadBalancer({ idleSeconds: 600, chosen: instances }).deregisterSeconds).toBeUndefined();
    expect(awsLoadBalancer({ idleSeconds: 1, chosen: {} }).annotations).toMatchObject({
      [`${AWS}listener-attributes.TCP-443`]: "tcp.idle_timeout.seconds=61",
    });
  });

  it("are left alone elsewhere", () => {
    expect(plainLoadBalancer({ idleSeconds: 600, chosen: { a: "b" } }).annotations).toEqual({ a: "b" });
  });
});
