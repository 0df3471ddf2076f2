/** The real Karpenter with the cloud that its authors test it with: it rents nodes that KWOK plays. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requirePart } from "../parts/find";
import { type CrdSource, installChartCrds, installCrds } from "./chart-crds";
import type { ControlPlane } from "./control-plane";
import type { InstanceType } from "./instance-types";
import type { Program } from "./lifeline";
import { freePorts } from "./ports";

/** The Go module of Karpenter, without a cloud. */
export const KARPENTER_MODULE = "sigs.k8s.io/karpenter";

/** Whose files its definitions are, as a cluster on AWS has them: they hold NodePools to what AWS knows. */
const CRD_CHART = "karpenter-crd";
/** Of the simulated cloud, in place of EC2NodeClasses. */
const CLASS_CRDS: CrdSource = { module: KARPENTER_MODULE, path: "kwok/apis/crds" };

/** Starting it means to fill its caches of everything in the cluster. */
const START_SECONDS = 120;

/** A Karpenter that runs until the control plane ends. */
export class Karpenter {
  private constructor(
    private readonly program: Program,
    private readonly instanceTypesFile: string,
    private readonly isReady: () => Promise<true | undefined>,
  ) {}

  /**
   * Installs what it watches, and starts it.
   *
   * @param settings variables that the environment's chart sets.
   * @throws Error with its log when it does not start; Error that names the command which installs it.
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
      // One alone needs no election, which takes it seconds.
      DISABLE_LEADER_ELECTION: "true",
      SYSTEM_NAMESPACE: "kube-system",
      // Pods come all at once here: what is waited for beyond is only time.
      BATCH_MAX_DURATION: "2s",
      METRICS_PORT: String(metrics),
      HEALTH_PROBE_PORT: String(health),
    };
    const program = plane.run(requirePart("karpenter-kwok"), [], variables, { restarts: true });
    const isReady = async () => ((await fetch(`http://127.0.0.1:${health}/readyz`)).ok ? true : undefined);
    await program.ready(isReady, START_SECONDS);
    return new Karpenter(program, file, isReady);
  }

  /** Ends it and starts it again, with a cloud that has other machines: it reads them once. */
  async restart(types: readonly InstanceType[]): Promise<void> {
    await this.program.stop();
    writeFileSync(this.instanceTypesFile, JSON.stringify(types));
    this.program.restart();
    await this.program.ready(this.isReady, START_SECONDS);
  }

  /** What it printed until now, while the control plane runs. */
  get output(): string {
    return this.program.output();
  }
}

/**
 * KWOK's rule for nodes that Karpenter made. Its simulated cloud says that a node's capacity is what its first pods asked for (toNode of
 * kwok/cloudprovider/cloudprovider.go); a kubelet says what the machine has, and limits of NodePools count that.
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
