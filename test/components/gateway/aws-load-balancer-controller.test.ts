import { describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import {
  AwsLoadBalancerController,
  loadBalancerControllerConnections,
  loadBalancerControllerValues,
} from "../../../components/gateway/aws-load-balancer-controller";
import { deploy } from "../../harness/deploy";
import { awsGround } from "../autoscaling/fixture";

describe("the AWS Load Balancer Controller", () => {
  it("is one release in a closed namespace of its own, with its CRDs", async () => {
    const deployment = await deploy(() => {
      new AwsLoadBalancerController("load-balancers", { stage: "production", ground: awsGround() });
    });
    const [release, ...others] = deployment.ofType("kubernetes:helm.sh/v3:Release");
    expect(others).toEqual([]);
    expect(release?.inputs).toMatchObject({
      name: "aws-load-balancer-controller",
      namespace: "aws-load-balancers",
      skipCrds: false,
    });
  });

  it("is told where it is, and makes network load balancers of Services that ask for one, and nothing else", () => {
    const values = loadBalancerControllerValues("production", awsGround());
    expect(chartValueProblems("aws-load-balancer-controller", values)).toEqual([]);
    expect(values).toMatchObject({
      clusterName: "test",
      region: "us-east-1",
      vpcId: "vpc-0123456789abcdef0",
      serviceAccount: { name: "aws-load-balancer-controller" },
      replicaCount: 2,
      podDisruptionBudget: { maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" },
      enableServiceMutatorWebhook: false,
      keepTLSSecret: true,
      createIngressClassResource: false,
      controllerConfig: {
        featureGates: { ALBGatewayAPI: false, NLBGatewayAPI: false, GlobalAcceleratorController: false },
      },
      enableShield: false,
      enableWaf: false,
      enableWafv2: false,
    });
    expect(loadBalancerControllerValues("development", awsGround())).not.toHaveProperty("podDisruptionBudget");
  });

  it("reaches the Kubernetes API, Amazon's and the agent of Pod Identity, and its webhooks are called", () => {
    const networks = { privateCidrs: [], apiServerCidrs: [] };
    expect(loadBalancerControllerConnections(networks).map(({ name, ports }) => ({ name, ports }))).toEqual([
      { name: "load-balancer-controller-to-kubernetes-api", ports: [{ port: 443 }, { port: 6443 }] },
      { name: "load-balancer-controller-to-aws", ports: [{ port: 443 }] },
      { name: "load-balancer-controller-to-pod-identity", ports: [{ port: 80 }] },
      { name: "kubernetes-api-to-load-balancer-controller", ports: [{ port: 9443 }] },
    ]);
  });
});
