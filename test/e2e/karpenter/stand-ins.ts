import { eksPools } from "../../../stacks/eks-pools";
import type { ProgramRun } from "../../stacks/run";

const ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"];

/** NodePools of the form that the platform is to render, and the setting of Karpenter's chart that goes with them, until it renders them itself. */
export function withStandIns(run: ProgramRun): ProgramRun {
  const { resources } = run.recording;
  const [first] = resources;
  if (first === undefined || resources.some(({ inputs }) => inputs.kind === "NodePool")) {
    return run;
  }
  const made = (name: string, type: string, inputs: typeof first.inputs): typeof first => ({
    ...first,
    name,
    type,
    inputs,
  });
  const pools = eksPools(run.environment.pools, run.plan, ZONES).filter(({ karpenterNodes }) => karpenterNodes > 0);
  const nodePools = pools.map(({ plan, karpenterNodes, capacity, zones }) => {
    const { name, shape, labels, taints, startupTaints } = plan;
    const spans = run.plan.models.some((model) => model.pool === name && model.nodesPerReplica > 1);
    const oneOf = (key: string, values: readonly string[]) => ({ key, operator: "In", values });
    return made(name, "kubernetes:karpenter.sh/v1:NodePool", {
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name },
      spec: {
        template: {
          metadata: { labels },
          spec: {
            nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name },
            expireAfter: "Never",
            requirements: [
              oneOf("node.kubernetes.io/instance-type", [shape.name]),
              oneOf("karpenter.sh/capacity-type", capacity === "spot" ? ["spot", "on-demand"] : ["on-demand"]),
              oneOf("topology.kubernetes.io/zone", zones),
            ],
            taints,
            startupTaints,
          },
        },
        limits: {
          cpu: String(karpenterNodes * shape.cpu.vcpus),
          ...(shape.gpu && { [shape.gpu.resource]: String(karpenterNodes * shape.gpu.count) }),
        },
        disruption: {
          consolidationPolicy: "WhenEmpty",
          consolidateAfter: "10m",
          budgets: [
            { nodes: spans ? "0" : "1", reasons: ["Underutilized", "Drifted"] },
            { nodes: "100%", reasons: ["Empty"] },
          ],
        },
      },
    });
  });
  const release = { chart: "karpenter", values: { settings: { preferencePolicy: "Ignore" } } };
  return {
    ...run,
    recording: {
      ...run.recording,
      resources: [...resources, made("karpenter", "kubernetes:helm.sh/v3:Release", release), ...nodePools],
    },
  };
}
