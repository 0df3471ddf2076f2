/** Real Karpenter with its upstream simulated cloud, whose nodes KWOK simulates. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requirePart } from "../parts/find";
import { type CrdSource, installChartCrds, installCrds } from "./chart-crds";
import type { ControlPlane } from "./control-plane";
import type { InstanceType } from "./instance-types";
import type { Program } from "./lifeline";
import { freePorts } from "./ports";

/** Go module of Karpenter, without a cloud. */
export const KARPENTER_MODULE = "sigs.k8s.io/karpenter";

/** Source of its definitions, as on AWS: they restrict NodePools to AWS's keys. */
const CRD_CHART = "karpenter-crd";
/** Classes of the simulated cloud, instead of EC2NodeClasses. */
const CLASS_CRDS: CrdSource = { module: KARPENTER_MODULE, path: "kwok/apis/crds" };

/** Startup includes filling its caches. */
const START_SECONDS = 120;

export class Karpenter {
  private constructor(
    private readonly program: Program,
    private readonly instanceTypesFile: string,
    private readonly isReady: () => Promise<true | undefined>,
  ) {}

  /**
   * Installs its kinds and starts it.
   *
   * @param settings variables from the environment's chart values.
   * @throws Error with its log when it fails to start; Error with the install command.
   */
  static async start(
    plane: ControlPlane,
    types: readonly InstanceType[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Karpenter> {
    await Promise.all([installChartCrds(plane.client, CRD_CHART), installCrds(plane.client, CLASS_CRDS)]);
    const file = join(plane.folder, "instance-types.json");
    writeFileSync(file, JSON.stringify(types));
    const [metrics = 0, health = 0] = await freePorts(2);
    const variables = {
      ...settings,
      KUBECONFIG: plane.kubeconfig,
      INSTANCE_TYPES_FILE_PATH: file,
      // A single instance avoids the delay of leader election.
      DISABLE_LEADER_ELECTION: "true",
      SYSTEM_NAMESPACE: "kube-system",
      // All pods arrive at once, so longer batching is unnecessary.
      BATCH_MAX_DURATION: "2s",
      METRICS_PORT: String(metrics),
      HEALTH_PROBE_PORT: String(health),
    };
    const program = plane.run(requirePart("karpenter-kwok"), [], variables, { restarts: true });
    const isReady = async () => ((await fetch(`http://127.0.0.1:${health}/readyz`)).ok ? true : undefined);
    await program.ready(isReady, START_SECONDS);
    return new Karpenter(program, file, isReady);
  }

  /** Restarts it with another list of machines, which it reads only at startup. */
  async restart(types: readonly InstanceType[]): Promise<void> {
    await this.program.stop();
    writeFileSync(this.instanceTypesFile, JSON.stringify(types));
    this.program.restart();
    await this.program.ready(this.isReady, START_SECONDS);
  }

  /** Output so far, while the control plane runs. */
  get output(): string {
    return this.program.output();
  }
}

/**
 * KWOK stage for Karpenter's nodes. The simulated cloud reports the first pods' requests as
 * capacity (toNode of kwok/cloudprovider/cloudprovider.go); a kubelet reports the machine's, which
 * NodePool limits count.
 *
 * @returns the file, for `runNodes`.
 */
export function nodeCapacityStage({ folder }: ControlPlane): string {
  const file = join(folder, "node-capacity.json");
  const stage = {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name: "node-capacity" },
    spec: {
      resourceRef: { apiGroup: "v1", kind: "Node" },
      selector: {
        matchExpressions: [
          { key: '.metadata.labels["karpenter.sh/nodepool"]', operator: "Exists" },
          { key: ".status.capacity == .status.allocatable", operator: "In", values: ["false"] },
        ],
      },
      weight: 100,
      next: { statusTemplate: "capacity:\n{{ YAML .status.allocatable 1 }}" },
    },
  };
  writeFileSync(file, JSON.stringify(stage));
  return file;
}
